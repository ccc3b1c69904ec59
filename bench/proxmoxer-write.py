"""Writes one option of every guest through proxmoxer with a pool of threads; prints writes a second."""
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlparse

from proxmoxer import ProxmoxAPI

url, ca, token, threads, memory = sys.argv[1:6]
where = urlparse(url)
user, rest = token.split("!", 1)
name, value = rest.split("=", 1)
api = ProxmoxAPI(where.hostname, port=where.port, user=user, token_name=name, token_value=value, verify_ssl=ca)
guests = api.cluster.resources.get(type="vm")


def write(guest):
    return getattr(api.nodes(guest["node"]), guest["type"])(guest["vmid"]).config.put(memory=memory)


started = time.perf_counter()
with ThreadPoolExecutor(int(threads)) as pool:
    answers = list(pool.map(write, guests))
print(len(answers) / (time.perf_counter() - started))
