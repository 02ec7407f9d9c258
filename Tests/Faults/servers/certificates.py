"""Certificates for servers that are to be trusted, and for those that are not; made by `openssl`."""
import pathlib, ssl, subprocess


class Authority:
    """A certificate authority in a folder."""

    def __init__(self, folder, name="fault"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.key, self.certificate = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        if not self.certificate.exists():
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
                    "-subj", f"/CN={name} authority", "-keyout", self.key, "-out", self.certificate,
                    "-addext", "basicConstraints=critical,CA:TRUE")

    def whole(self):
        """Its own certificate with its key, for a server that signs itself."""
        path = self.certificate.with_suffix(".whole")
        path.write_bytes(self.certificate.read_bytes() + self.key.read_bytes())
        return path

    def issue(self, name, hosts, dates=("20200101000000Z", "20490101000000Z"), usage="serverAuth", bits=None):
        """A certificate for `hosts`, valid between two dates; returns the path of its PEM with the key."""
        key, request, signed = (self.folder / f"{name}.{ending}" for ending in ("key", "csr", "crt"))
        form = ["rsa:%d" % bits] if bits else ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        openssl("req", "-newkey", *form, "-nodes", "-subj", f"/CN={hosts[0]}", "-keyout", key, "-out", request)
        names = ",".join(("IP:" if host.replace(".", "").isdigit() else "DNS:") + host for host in hosts)
        config = self.folder / f"{name}.cnf"
        config.write_text(f"""[ca]
default_ca = fault
[fault]
database = {self.folder}/index.txt
serial = {self.folder}/serial
new_certs_dir = {self.folder}
default_md = sha256
policy = any
unique_subject = no
x509_extensions = leaf
[any]
commonName = supplied
[leaf]
subjectAltName = {names}
extendedKeyUsage = {usage}
basicConstraints = critical,CA:FALSE
""")
        (self.folder / "index.txt").touch()
        openssl("ca", "-batch", "-config", config, "-rand_serial", "-cert", self.certificate, "-keyfile", self.key,
                "-startdate", dates[0], "-enddate", dates[1], "-in", request, "-out", signed, "-notext")
        whole = self.folder / f"{name}.whole"
        whole.write_bytes(signed.read_bytes() + key.read_bytes())
        return whole


def context(certificate, versions=None, protocols=("http/1.1",)):
    """A server's TLS context; `versions` are the lowest and the highest."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if versions:
        made.set_ciphers("ALL:@SECLEVEL=0")  # OpenSSL 3 has TLS 1.0 and 1.1 only at this level
        made.minimum_version, made.maximum_version = versions
    made.load_cert_chain(certificate)
    made.set_alpn_protocols(list(protocols))
    return made


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
