#!/usr/bin/env python3
"""Lists a website with Python's standard library (3.9 or newer).

  examples/python.py SERVICE DESTINATION CATEGORY [--user-approved]

Without --user-approved it only checks, and shows what to ask the customer. Key, secret and body are kept in
$PLACARD_FILE (placard-submission.json), one file for each website, and the receipt beside it. Run it again after any
failure, or to get the receipt again: it sends the same submission.
"""

import http.client
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.request
import uuid

WAIT_SECONDS = 120
# Only this machine is reached without TLS. A proxy on the way would read the secret.
PROXIES = {name: proxy for name, proxy in urllib.request.getproxies().items() if name != "http"}
NO_ANSWER = "No answer that can be used. Check SERVICE, and run it again."


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the secret along."""

    def redirect_request(self, *_):
        return None


def ask(url, wanted, body=None, headers={}):
    """
    Sends one request. Returns its status (0 without an answer), its reply (None unless it has the wanted field or names
    an error), and what Retry-After says.
    """
    request = urllib.request.Request(url, body, {"Content-Type": "application/json", **headers})
    found = None
    try:
        try:
            reply = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler(PROXIES)).open(request, timeout=60)
        except urllib.error.HTTPError as error:
            reply = error
        with reply:
            status, retry_after = reply.status, reply.headers.get("Retry-After", "")
            found = json.load(reply)
    except (OSError, http.client.HTTPException):
        return 0, None, ""
    except (ValueError, RecursionError):
        pass  # it is no JSON
    fields = {wanted} if status < 300 else {"code", "error"}
    return status, found if isinstance(found, dict) and fields <= found.keys() else None, retry_after


def private(path, flags=os.O_TRUNC):
    return open(os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600), "w")


def check(service, site):
    status, reply, _ = ask(service + "/api/v1/agent/check", "wouldPublish", json.dumps(site).encode())
    if reply is None:
        sys.exit(NO_ANSWER)
    if status != 200 or not reply["wouldPublish"]:
        refusal = reply if status != 200 else reply["publishReply"]
        sys.exit(f"{refusal['code']}: {refusal['error']}")
    print("Would be listed:", reply["listing"]["title"])
    print(reply["listing"]["description"])
    print(f"Nothing is published. Show this and {service}/rules to the customer, and ask.")
    sys.exit(2)


def saved_submission(service, site, path):
    """The submission in the file, which is made if there is none, and is on disk when this returns."""
    if not os.path.exists(path):
        status, capabilities, _ = ask(service + "/api/v1/agent/capabilities", "publishingPolicy")
        if status != 200 or not capabilities:
            sys.exit(NO_ANSWER)
        rules = capabilities["publishingPolicy"]["rulesVersion"]
        approval = {"scope": "free_listing_publish", "userApproved": True, "rulesVersion": rules}
        body = json.dumps({**site, "approval": approval})
        made = {"service": service, "key": str(uuid.uuid4()), "secret": secrets.token_hex(32), "body": body}
        whole = f"{path}.{os.getpid()}"
        with private(whole, os.O_EXCL) as file:
            json.dump(made, file)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(whole, path)
        except FileExistsError:
            pass  # another process was faster, and its submission counts
        os.unlink(whole)
    with open(path) as file:
        saved = json.load(file)
    body = json.loads(saved["body"])
    if saved["service"] != service or any(body[name] != site[name] for name in site):
        sys.exit(f"{path} holds another submission. Name another file in PLACARD_FILE.")
    return saved


def publish(service, saved):
    """Repeats the same request until the service accepts or refuses it, for two minutes."""
    headers = {"Idempotency-Key": saved["key"], "X-Submission-Secret": saved["secret"]}
    deadline = time.monotonic() + WAIT_SECONDS
    pause = 5
    while True:
        status, reply, retry_after = ask(
            service + "/api/v1/agent/listings", "productUrl", saved["body"].encode(), headers
        )
        if reply and status < 300:
            return status, reply
        known = f"{reply['code']}: {reply['error']}" if reply else "No answer that can be used."
        wait = int(retry_after) if retry_after.isdigit() else pause
        final = 200 <= status < 500 and status != 429
        if status == 422:
            known += " A new submission needs another file in PLACARD_FILE."
        if final or time.monotonic() + wait > deadline:
            again = known if reply else NO_ANSWER
            sys.exit(again if final else f"{known} Run it again in {wait} seconds.")
        time.sleep(wait)
        pause *= 2


def main():
    if len(sys.argv) < 4:
        print("Usage: examples/python.py SERVICE DESTINATION CATEGORY [--user-approved]", file=sys.stderr)
        sys.exit(2)
    address, destination, category, *rest = sys.argv[1:]
    service = address.rstrip("/")
    site = {"destination": destination, "category": category}
    if rest != ["--user-approved"]:
        check(service, site)
    path = os.environ.get("PLACARD_FILE", "placard-submission.json")
    status, receipt = publish(service, saved_submission(service, site, path))
    print(f"{status} {receipt['status']}: {receipt['productUrl']}")
    if "privateRecoveryUrl" not in receipt["ownership"]:
        print("This receipt has no private link: only a published listing has one. An earlier receipt is kept.")
        return
    whole = f"{path}.receipt.{os.getpid()}"
    with private(whole) as file:
        json.dump(receipt, file)
    os.replace(whole, path + ".receipt")
    print(f"The private link is in {path}.receipt, for the customer only.")


if __name__ == "__main__":
    main()
