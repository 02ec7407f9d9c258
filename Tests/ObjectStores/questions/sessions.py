"""Temporary keys of a role, from the server's own Security Token Service."""
import http.client
from urllib.parse import urlencode, urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from questions.store import SECONDS, Answer, Unanswered

# The shortest life that AWS allows. Source: AWS Security Token Service API Reference, AssumeRole, DurationSeconds.
LIFETIME = 900


def assume_role(facts):
    """Keys and token of a session in the role that `facts` names."""
    form = {"Action": "AssumeRole", "Version": "2011-06-15", "RoleArn": facts["role"], "RoleSessionName": "dialects",
            "DurationSeconds": LIFETIME}
    request = AWSRequest("POST", facts["endpoint"] + "/", data=urlencode(form).encode(),
                         headers={"Content-Type": "application/x-www-form-urlencoded"})
    credentials = Credentials(facts["accessKey"], facts["secretKey"])
    botocore.auth.SigV4Auth(credentials, "sts", facts["region"]).add_auth(request)
    connection = http.client.HTTPConnection(urlsplit(facts["endpoint"]).netloc, timeout=SECONDS)
    try:
        connection.request("POST", "/", request.data, dict(request.headers.items()))
        answer = Answer(connection.getresponse())
    finally:
        connection.close()
    if answer.status != 200:
        raise Unanswered(f"AssumeRole: {answer}")
    access, secret, token = (answer.texts(name)[0] for name in ("AccessKeyId", "SecretAccessKey", "SessionToken"))
    return {"accessKey": access, "secretKey": secret}, token
