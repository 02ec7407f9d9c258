"""Keys that clients and servers encode in different ways: each must come back from GET and from a list as it was."""
from urllib.parse import unquote_plus

from questions import table

question = table("Keys (PUT, GET and list give the same key)")

KEYS = {
    "a space": "a b", "`=`": "a=b/c=d", "`+`": "a+b", "`%`": "100%", "`%2F` in the key": "a%2Fb", "`&<>\"'`": "a&b<c>\"'d",
    "`?` and `#`": "a?b#c", "`:@!$*(),;`": "a:@!$*(),;b", "`~`": "a~b", "`//`": "a//b", "a leading slash": "/a",
    "a trailing slash": "a/", "`..` inside": "x/../y", "`.` inside": "x/./y", "only `..`": "..",
    "UTF-8 (`é`, `日本`, `😀`)": "é日本😀", "decomposed `é`": "e\u0301", "a backslash": "a\\b", "a tab": "a\tb", "a control character (U+0001)": "a\u0001b",
    "1,024 bytes": "k" * 1024, "1,024 bytes with slashes": "/".join(["k" * 127] * 8), "1,025 bytes": "k" * 1025,
}


def ask_about(name, key):
    @question(name)
    def same(store):
        prefix = store.key() + "-" if not key.startswith(("/", "..")) else ""
        whole = (prefix + key)[:len(key)] if len(key) > 1000 else prefix + key
        content = whole.encode()[:50]
        answer = store.send("PUT", whole, body=content)
        if answer.status != 200:
            return str(answer)
        found = store.send("GET", whole)
        cells = [] if found.body == content else [f"GET: {found}, {len(found.body)} of {len(content)} bytes"]
        listed = store.send("GET", query={"list-type": 2, "encoding-type": "url", "prefix": whole})
        keys = [unquote_plus(text) for text in listed.texts("Key")] if listed.status == 200 else []
        if whole not in keys:
            cells.append(f"list: {listed}" + (f" `{keys[0]!a}`" if keys else " without it").replace("|", "\\|"))
        store.send("DELETE", whole)
        return "same" if not cells else "**" + "; ".join(cells) + "**"


for name, key in KEYS.items():
    ask_about(name, key)


@question("`a` and `a/b` at once")
def file_and_folder(store):
    key = store.key()
    store.put(key)
    answer = store.send("PUT", key + "/b", body=b"second")
    if answer.status != 200:
        return f"**{answer}**"
    return "both" if (store.content(key), store.content(key + "/b")) == (b"first", b"second") else "**one lost**"
