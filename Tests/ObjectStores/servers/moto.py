"""moto: AWS's interface in memory, of the greatest breadth. It verifies neither signatures nor payloads."""


def serve(instance):
    port, = instance.ports(1)
    instance.start("moto", "moto_server", "-H", "127.0.0.1", "-p", port)
    number = instance.run("python", "-c", "import moto; print(moto.__version__)").strip()
    return {"endpoint": f"http://127.0.0.1:{port}", "region": "us-east-1", "accessKey": "any", "secretKey": "any",
            "pathStyle": True, "server": f"moto {number}"}
