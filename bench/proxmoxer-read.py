"""Reads every guest's pending config through proxmoxer with a pool of threads; prints requests a second."""
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlparse

from proxmoxer import ProxmoxAPI

url, ca, token, threads = sys.argv[1:5]
where = urlparse(url)
user, rest = token.split("!", 1)
name, value = rest.split("=", 1)
api = ProxmoxAPI(where.hostname, port=where.port, user=user, token_name=name, token_value=value, verify_ssl=ca)
guests = api.cluster.resources.get(type="vm")


def read(guest):
    return getattr(api.nodes(guest["node"]), guest["type"])(guest["vmid"]).pending.get()


started = time.perf_counter()
with ThreadPoolExecutor(int(threads)) as pool:
    answers = list(pool.map(read, guests))
print(len(answers) / (time.perf_counter() - started))
