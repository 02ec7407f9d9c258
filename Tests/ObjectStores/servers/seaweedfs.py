"""SeaweedFS: a real distributed store in one process. It verifies signatures, and keeps its objects on disk."""
import base64
import json
import os
import re
import secrets
import socket
import stat
from pathlib import Path

from frame.ports import HIGHEST, LOWEST

# SeaweedFS names these sockets itself: one for each gRPC port, always in /tmp.
SOCKETS = Path("/tmp")
ROLE = "arn:aws:iam::role/session"
SOCKET = re.compile(r"seaweedfs-\w+-grpc-(\d+)\.sock")


def serve(instance):
    sweep()
    instance.at_end(sweep)
    master, volume, filer, s3, *grpc = instance.ports(8)
    keys = [{"accessKey": secrets.token_hex(10), "secretKey": secrets.token_hex(20)} for _ in range(2)]
    actions = [["Admin"], ["Read"]]
    identities = [{"name": f"user{number}", "credentials": [key], "actions": allowed}
                  for number, (key, allowed) in enumerate(zip(keys, actions))]
    (instance.folder / "identities.json").write_text(json.dumps({"identities": identities}))
    (instance.folder / "roles.json").write_text(json.dumps(roles()))
    for name in ("data", "master"):
        (instance.folder / name).mkdir()
    # Telemetry is on by default and would leave the machine.
    instance.start(
        "weed", "weed", "-logtostderr=true", "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
        "-dir=data", "-master.dir=master", "-master.telemetry=false", "-master.volumeSizeLimitMB=64",
        "-master.electionTimeout=1s", "-volume.max=100", "-volume.preStopSeconds=0", "-filer",
        "-s3", "-s3.config=identities.json", "-s3.iam.config=roles.json", "-s3.domainName=localhost", "-s3.port.iceberg=0", "-s3.port.lance=0",
        f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}", f"-s3.port={s3}",
        f"-master.port.grpc={grpc[0]}", f"-volume.port.grpc={grpc[1]}", f"-filer.port.grpc={grpc[2]}",
        f"-s3.port.grpc={grpc[3]}", "-filer.localSocket=filer.sock", "-s3.localSocket=s3.sock")
    version = instance.run("weed", "version").split()[2]
    return {"endpoint": f"http://127.0.0.1:{s3}", "region": "us-east-1", **keys[0], "pathStyle": True,
            "server": f"SeaweedFS {version}", "reader": keys[1], "role": ROLE}


def roles():
    """A role that every user may assume, and that may do everything."""
    trust = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": ["sts:AssumeRole"]}
    allow = {"Effect": "Allow", "Action": ["s3:*", "sts:*"], "Resource": ["*"]}
    return {
        "sts": {"tokenDuration": "1h", "maxSessionLength": "12h", "issuer": "tests",
                "signingKey": base64.b64encode(secrets.token_bytes(32)).decode()},
        "policy": {"defaultEffect": "Deny", "storeType": "memory"},
        "policies": [{"name": "all", "document": {"Version": "2012-10-17", "Statement": [allow]}}],
        "roles": [{"roleName": "session", "roleArn": ROLE, "attachedPolicies": ["all"],
                   "trustPolicy": {"Version": "2012-10-17", "Statement": [trust]}}],
    }


def sweep():
    """Removes the sockets of our ports that no process listens on any more."""
    for path in SOCKETS.glob("seaweedfs-*.sock"):
        name = SOCKET.fullmatch(path.name)
        try:
            facts = path.lstat()
            ours = facts.st_uid == os.getuid() and stat.S_ISSOCK(facts.st_mode)
            if name and ours and LOWEST <= int(name.group(1)) <= HIGHEST and not answers(path):
                path.unlink()
        except FileNotFoundError:
            pass


def answers(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            return False
        return True
