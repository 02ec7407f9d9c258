"""The contents of tar shards."""
import hashlib, pathlib, tarfile


def members(folder):
    """The SHA-256 of each image in the shards of a folder, by shard and name; raises `tarfile.TarError` if one is damaged."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.tar")):
        with tarfile.open(path) as shard:
            for member in shard:
                if not member.name.endswith(".json"):
                    found[f"{path.name}/{member.name}"] = hashlib.sha256(shard.extractfile(member).read()).hexdigest()
    return found
