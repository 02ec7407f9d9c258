"""rclone's S3 server over a local folder. It verifies signatures of one user."""
import secrets


def serve(instance):
    port, = instance.ports(1)
    access, secret = secrets.token_hex(10), secrets.token_hex(20)
    (instance.folder / "data").mkdir()
    # Keys on the command line would be seen by every user of the machine. The variable is a line of CSV.
    instance.start("rclone", "rclone", "serve", "s3", "data", f"--addr=127.0.0.1:{port}", "--config=/dev/null",
                   environment={"RCLONE_AUTH_KEY": f'"{access},{secret}"'})
    version = instance.run("rclone", "--version", "--config=/dev/null").split()[1].lstrip("v")
    return {"endpoint": f"http://127.0.0.1:{port}", "region": "us-east-1", "accessKey": access,
            "secretKey": secret, "pathStyle": True, "server": f"rclone {version}"}
