"""JuiceFS's gateway, which holds the S3 front end of MinIO, over SQLite and a local folder. It verifies signatures."""
import secrets


def serve(instance):
    port, metrics = instance.ports(2)
    access, secret = secrets.token_hex(10), secrets.token_hex(20)
    instance.run("juicefs", "format", "--no-color", "--storage=file", f"--bucket={instance.folder}/data/", "--trash-days=0",
                 "sqlite3://metadata.db", "store")
    # A usage report would leave the machine; the agent would listen on a fixed port.
    instance.start("juicefs", "juicefs", "--no-agent", "gateway", "--no-color", "--no-usage-report", "--no-banner", "--multi-buckets",
                   "--keep-etag", "--object-meta", "--domain=localhost", f"--metrics=127.0.0.1:{metrics}", "--cache-dir=cache", "--log=gateway.log",
                   "sqlite3://metadata.db", f"127.0.0.1:{port}",
                   environment={"MINIO_ROOT_USER": access, "MINIO_ROOT_PASSWORD": secret})
    version = instance.run("juicefs", "version").split()[2].split("+")[0]
    return {"endpoint": f"http://127.0.0.1:{port}", "region": "us-east-1", "accessKey": access,
            "secretKey": secret, "pathStyle": True, "server": f"JuiceFS {version} (MinIO's gateway)"}
