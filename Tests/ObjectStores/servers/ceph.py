"""Ceph's RADOS Gateway over one monitor and one OSD that keeps its objects in memory. It verifies signatures."""
import json
import secrets
import uuid

# One copy of each object on one OSD, small pools, no cephx between processes of one folder, no warnings to wait for.
CONFIGURATION = """[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{mon}]
mon initial members = a
public network = 127.0.0.0/8
ms bind ipv4 = true
ms bind ipv6 = false
ms bind msgr1 = false
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
auth allow insecure global id reclaim = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 4294967296
mon allow pool size one = true
mon max pg per osd = 2000
run dir = {folder}
log file = {folder}/$name.messages
admin socket = {folder}/$name.sock
pid file =
[mon]
mon data = {folder}/mon
mon cluster log file = {folder}/cluster.messages
[osd]
osd data = {folder}/osd
osd class load list = *
osd class default list = *
[client]
keyring = {folder}/keyring
rgw frontends = beast endpoint=127.0.0.1:{port}
rgw data = {folder}/rgw
rgw enable usage log = false
rgw dns name = localhost
rgw sts key = {session_key}
rgw s3 auth use sts = true
"""


def serve(instance):
    port, mon = instance.ports(2)
    folder, fsid = instance.folder, str(uuid.uuid4())
    for name in ("mon", "osd", "rgw"):
        (folder / name).mkdir()
    configuration = folder / "ceph.conf"
    configuration.write_text(CONFIGURATION.format(fsid=fsid, mon=mon, folder=folder, port=port,
                                                  session_key=secrets.token_hex(8)))
    (folder / "keyring").write_text("")
    instance.run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", f"[v2:127.0.0.1:{mon}]", "monmap")
    instance.run("ceph-mon", "-c", configuration, "--mkfs", "-i", "a", "--monmap", "monmap")
    instance.start("mon", "ceph-mon", "-c", configuration, "-i", "a", "-f")
    osd = str(uuid.uuid4())
    instance.run("ceph", "-c", configuration, "--connect-timeout", 20, "osd", "new", osd)
    instance.run("ceph-osd", "-c", configuration, "-i", 0, "--mkfs", "--osd-uuid", osd)
    instance.start("osd", "ceph-osd", "-c", configuration, "-i", 0, "-f")
    keys = [{"accessKey": secrets.token_hex(10), "secretKey": secrets.token_hex(20)} for _ in range(2)]
    for name, key in zip(("tester", "reader"), keys):
        instance.run("radosgw-admin", "-c", configuration, "user", "create", f"--uid={name}", f"--display-name={name}",
                     f"--access-key={key['accessKey']}", f"--secret-key={key['secretKey']}")
    trust = statement("sts:AssumeRole", Principal={"AWS": ["arn:aws:iam:::user/tester"]})
    instance.run("radosgw-admin", "-c", configuration, "role", "create", "--role-name=session",
                 f"--assume-role-policy-doc={trust}")
    instance.run("radosgw-admin", "-c", configuration, "role-policy", "put", "--role-name=session", "--policy-name=all",
                 f"--policy-doc={statement('s3:*', Resource='arn:aws:s3:::*')}")
    instance.start("radosgw", "radosgw", "-c", configuration, "-n", "client.gateway", "-f")
    version = instance.run("ceph", "--version").split()[2]
    return {"endpoint": f"http://127.0.0.1:{port}", "region": "default", **keys[0], "pathStyle": True,
            "server": f"Ceph {version}", "reader": {**keys[1], "name": "reader"},
            "role": "arn:aws:iam:::role/session"}


def statement(action, **about):
    """A policy that allows one action."""
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": [action], **about}]})
