"""The contents of tar shards."""
import hashlib, pathlib, tarfile


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
