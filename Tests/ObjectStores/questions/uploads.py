"""The steps of a multipart upload."""
from questions.store import Unanswered


def begin(store, key, **headers):
    """Starts an upload and returns its id."""
    answer = store.send("POST", key, {"uploads": ""}, headers)
    if answer.status != 200:
        raise Unanswered(f"CreateMultipartUpload: {answer}")
    return answer.texts("UploadId")[0]


def upload(store, key, number, part, body):
    """Uploads a part and returns its number and ETag."""
    answer = store.send("PUT", key, {"partNumber": part, "uploadId": number}, body=body)
    if answer.status != 200:
        raise Unanswered(f"UploadPart: {answer}")
    return part, answer.etag


def complete(store, key, number, parts, headers={}):
    """Completes an upload from numbers and ETags of its parts."""
    listed = "".join(f"<Part><PartNumber>{part}</PartNumber><ETag>{etag}</ETag></Part>" for part, etag in parts)
    body = f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()
    return store.send("POST", key, {"uploadId": number}, headers, body)


def result(answer):
    """The outcome of a request whose error may follow a status of 200 in the body."""
    failed = answer.status == 200 and b"<Code>" in answer.body
    return f"200 with {answer.texts('Code')[0]}" if failed else str(answer)
