"""A session of proxmoxer, a client that others wrote for the real Proxmox VE, against the API named in the
environment. Prints as JSON what it saw."""
import json
import os
import time
from urllib.parse import urlparse

from proxmoxer import ProxmoxAPI, ResourceException

token_id, secret = os.environ["TOKEN"].split("=", 1)
user, token_name = token_id.split("!", 1)
url = urlparse(os.environ["URL"])
proxmox = ProxmoxAPI(
    url.hostname,
    port=url.port,
    user=user,
    token_name=token_name,
    token_value=secret,
    verify_ssl=os.environ["CA_FILE"],
)


def await_task(node, upid):
    """What a caller of proxmoxer has to do: ask until the task is no longer running."""
    while True:
        status = proxmox.nodes(node).tasks(upid).status.get()
        if status["status"] != "running":
            return status
        time.sleep(0.1)


def refusal(call):
    try:
        call()
    except ResourceException as error:
        return {"status": error.status_code, "text": str(error)}
    return None


node = "pve"
container = proxmox.nodes(node).lxc(102)
before = container.config.get()
container.config.put(cores=2, description="set by proxmoxer: árvíz & 100 %\nsecond line", digest=before["digest"])
after = container.config.get()
stale = refusal(lambda: container.config.put(cores=1, digest=before["digest"]))

upid = container.status.start.post()
task = await_task(node, upid)
log = proxmox.nodes(node).tasks(upid).log.get()

print(
    json.dumps(
        {
            "version": proxmox.version.get()["version"],
            "nodes": [n["node"] for n in proxmox.nodes.get()],
            "lxc": {g["vmid"]: g["status"] for g in proxmox.nodes(node).lxc.get()},
            "qemu": {g["vmid"]: g["status"] for g in proxmox.nodes(node).qemu.get()},
            "resources": sorted(r["vmid"] for r in proxmox.cluster.resources.get(type="vm")),
            "before": before,
            "after": after,
            "stale": stale,
            "missing": refusal(lambda: proxmox.nodes(node).lxc(999).config.get()),
            "upid": upid,
            "task": task,
            "log": [line["t"] for line in log],
            "status": container.status.current.get()["status"],
        }
    )
)
