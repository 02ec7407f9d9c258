"""The contents of tar shards."""
import hashlib, json, pathlib, tarfile


def members(folder):
    """The SHA-256 of each image in the shards of a folder, by shard and name; raises `tarfile.TarError` if one is damaged."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.tar")):
        with tarfile.open(path) as shard:
            for member in shard:
                add(found, shard, member, path)
    return found


def members_so_far(folder):
    """The same with what the shard that is being written holds, which may end anywhere."""
    found = members(folder)
    for path in pathlib.Path(folder).glob("*.tar.part"):
        try:
            with tarfile.open(path) as shard:
                for member in shard:
                    add(found, shard, member, path)
        except tarfile.ReadError:
            pass
    return found


def add(found, shard, member, path):
    if not member.name.endswith(".json"):
        found[f"{path.name}/{member.name}"] = hashlib.sha256(shard.extractfile(member).read()).hexdigest()


def images(folder):
    """The original, the output's name and the SHA-256 of each image; without `tarfile`, which takes minutes for millions."""
    for path in sorted(pathlib.Path(folder).glob("*.tar")):
        with open(path, "rb", buffering=1 << 20) as shard:
            group = []
            while (head := shard.read(512)).rstrip(b"\0"):
                name, size = head[:100].rstrip(b"\0").decode(), int(head[124:135], 8)
                data = shard.read(-(-size // 512) * 512)[:size]
                if not name.endswith(".json"):
                    group.append((name.split(".")[1], hashlib.sha256(data).hexdigest()))
                    continue
                url = json.loads(data)["url"]
                yield from ((url, kind, digest) for kind, digest in group)
                group = []
