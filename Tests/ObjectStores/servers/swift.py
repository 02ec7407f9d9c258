"""OpenStack Swift with its S3 interface: five processes, objects as files. It verifies signatures."""
import getpass
import secrets

SERVERS = ("account", "container", "object")

# Account, container and object servers differ in their name and port alone. Their folders need extended attributes.
STORAGE = """[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
log_address = {folder}/no-syslog
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""

PROXY = """[DEFAULT]
swift_dir = {folder}
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
log_address = {folder}/no-syslog
[pipeline:main]
pipeline = catch_errors cache s3api tempauth copy slo symlink versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memcached}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
storage_domain = localhost
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {secret} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:symlink]
use = egg:swift#symlink
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_object_versioning = true
"""

CLUSTER = """[swift-hash]
swift_hash_path_suffix = {suffix}
[storage-policy:0]
name = single
default = yes
"""


def serve(instance):
    proxy, memcached, *ports = instance.ports(5)
    folder, user, secret = instance.folder, getpass.getuser(), secrets.token_hex(20)
    (folder / "devices" / "disk").mkdir(parents=True)
    (folder / "swift.conf").write_text(CLUSTER.format(suffix=secrets.token_hex(8)))
    instance.start("memcached", "memcached", "-l", "127.0.0.1", "-p", memcached, "-m", 16, "-u", user)
    for name, port in zip(SERVERS, ports):
        ring = f"{name}.builder"
        instance.run("swift-ring-builder", ring, "create", 4, 1, 0)
        instance.run("swift-ring-builder", ring, "add", f"r1z1-127.0.0.1:{port}/disk", 1)
        instance.run("swift-ring-builder", ring, "rebalance")
        configuration = folder / f"{name}-server.conf"
        configuration.write_text(STORAGE.format(folder=folder, port=port, user=user, name=name))
        instance.start(name, f"swift-{name}-server", configuration, "--verbose")
    configuration = folder / "proxy-server.conf"
    configuration.write_text(PROXY.format(folder=folder, port=proxy, user=user, memcached=memcached, secret=secret))
    instance.start("proxy", "swift-proxy-server", configuration, "--verbose")
    version = instance.run("dpkg-query", "-W", "-f", "${Version}", "swift-proxy").split("-")[0]
    return {"endpoint": f"http://127.0.0.1:{proxy}", "region": "us-east-1", "accessKey": "test:tester",
            "secretKey": secret, "pathStyle": True, "server": f"OpenStack Swift {version}"}
