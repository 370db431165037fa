#!/usr/bin/env python3
"""List a website on a Placard site from Python, and get its receipt again after any failure.

This file needs only Python 3.9 or newer. It is a command (`python3 placard_agent.py --help`) and a library:

    from placard_agent import Journal, PlacardClient, PlacardError

    client = PlacardClient("https://placard.example.org", Journal("journal.jsonl"))
    publication = client.publish("https://shop.example/", "Developer Tools", user_approved=True)
    print(publication.receipt["productUrl"])

Words, exit codes and journal are those of the client for Node, so both can use one journal. Key, secret and exact body
are on disk before anything is sent. After any failure, call `publish` again with the same arguments.
"""

from __future__ import annotations

import email.utils
import errno
import hashlib
import http.client
import io
import json
import math
import os
import random
import re
import shlex
import socket
import ssl
import stat
import sys
import time
import unicodedata
import urllib.error
import urllib.request
import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from secrets import token_hex
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple
from urllib.parse import quote as percent_encoded
from urllib.parse import urljoin, urlsplit

# The build writes the version here.
VERSION = "development"
CONTRACT_VERSION = "2026-09-06"
DISPLAY_DAYS = 60
API = "/api/v1/agent"
KEY_HEADER, SECRET_HEADER, DECISION_HEADER = "Idempotency-Key", "X-Submission-Secret", "Placard-Decision"
STATEMENT_MAX_LENGTH = 1000
REPLY_MAX_BYTES = 1024 * 1024
READ_WAIT_SECONDS = 10
LONGEST_BACKOFF_SECONDS = 30
LONGEST_WAIT_SECONDS = 366 * 24 * 60 * 60
# The longest that the service lets a request wait for the customer's answer.
APPROVAL_WAIT_SECONDS = 25
APPROVAL_LIFETIME_SECONDS = 30 * 60
BOARDS = ("all", "today")
DESTINATION_MAX_LENGTH, CATEGORY_MAX_LENGTH = 500, 100
# Used only to suggest one: the service decides, and may have more.
CATEGORIES = (
    "AI Agents", "AI Tools", "Analytics & Data", "Art & Illustration", "Audio & Music", "Books & Writing",
    "Business, Finance & Legal", "Communication", "Communities & Nonprofits", "Customer Support", "Design",
    "Developer Tools", "E-commerce & Shopping", "Education & Courses", "Events", "Food & Drink", "Games",
    "Health & Fitness", "Hiring & Careers", "Marketing & SEO", "News & Newsletters", "Personal Profiles",
    "Photo & Video", "Productivity", "Real Estate", "Security & Privacy", "Social Media", "Travel & Local",
)
DECIDED_BY = {"automatic": "automatically", "operator": "by a person who runs the site", "owner": "by the owner"}
UUID_PATTERN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
KEY_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.I)
SECRET_PATTERN = re.compile(r"[0-9a-f]{64}", re.I)
# Without O_BINARY, Windows writes each line end as two bytes, and the next reading finds a damaged journal.
OPEN_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
# From the least conclusive to the most.
STATES = ("postponed", "unknown", "refused", "accepted")


class PlacardError(Exception):
    """The only error of this library. It never contains a secret, a private link or a raw reply.

    `kind` says what is known about the request: `refused` (a final no), `postponed` (not accepted so far), `unknown`
    (it may have been accepted) or `usage` (nothing was sent).
    """

    def __init__(self, kind: str, code: str, error: str, what_next: str, **more: Any):
        super().__init__(f"{error} {what_next}")
        self.kind, self.code, self.error, self.what_next = kind, code, error, what_next
        self.status: Optional[int] = more.get("status")
        self.field: Optional[str] = more.get("field")
        self.reason: Optional[str] = more.get("reason")
        self.request_id: Optional[str] = more.get("request_id")
        self.decision_id: Optional[str] = more.get("decision_id")
        self.retry_after_seconds: Optional[int] = more.get("retry_after_seconds")
        self.keep_credentials: bool = more.get("keep_credentials", False)

    def to_json(self) -> Dict[str, Any]:
        values = {
            "kind": self.kind, "code": self.code, "error": self.error, "whatNext": self.what_next,
            "status": self.status, "field": self.field, "reason": self.reason, "requestId": self.request_id,
            "decisionId": self.decision_id, "retryAfterSeconds": self.retry_after_seconds,
            "keepCredentials": self.keep_credentials,
        }
        return {name: value for name, value in values.items() if value is not None}

    @property
    def is_temporary(self) -> bool:
        return self.kind in ("postponed", "unknown")


def usage_error(code: str, error: str, what_next: str, at: Optional[str] = None) -> PlacardError:
    return PlacardError("usage", code, error, what_next, field=at)


def plain(text: str) -> str:
    """Returns foreign text that is safe on a terminal: without control and direction characters."""
    return "".join(" " if unicodedata.category(each) in ("Cc", "Cf", "Zl", "Zp") else each for each in text)


def shown(text: str) -> str:
    """Returns foreign text of limited length, without anything like a secret or a private link."""
    without_links = re.sub(r"#owner=[\w-]+", "[secret]", plain(text), flags=re.I)
    return re.sub(r"[0-9a-f]{64,}", "[secret]", without_links, flags=re.I)[:1000]


def utc_text(milliseconds: float) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return "an unknown time"


def parsed(text: str) -> float:
    """Returns a time in milliseconds, or NaN."""
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000
    except ValueError:
        return float("nan")


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def shell_word(text: str) -> str:
    """Returns a word for a shell: unchanged, or in the quotation marks that most shells take, also on Windows."""
    if re.fullmatch(r"[\w:/.~%+,@=-]+", text, re.ASCII):
        return text
    return shlex.quote(text) if re.search(r'["$`\\!]', text) else f'"{text}"'


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


# Requests


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Following a redirect would send the secret to an unchecked address."""

    def http_error_302(self, *_: Any) -> None:
        return None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class _UntilTimeout(io.RawIOBase):
    """Reads from a socket until its timeout has passed, which otherwise begins again with each byte."""

    def __init__(self, connection: socket.socket):
        self._connection, self._raw = connection, connection.makefile("rb", 0)
        self._end = time.monotonic() + (connection.gettimeout() or math.inf)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        left = self._end - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self._connection.settimeout(None if left == math.inf else left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *more: Any, **named: Any):
        super().__init__(sock, *more, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_UntilTimeout(sock))

    def _read_status(self) -> Tuple[str, int, str]:
        """Passes over what a proxy may send before the reply, such as 103. Python passes over 100 only."""
        while True:
            version, status, reason = super()._read_status()
            if not 101 < status < 200:
                return version, status, reason
            http.client.parse_headers(self.fp)


class _Http(http.client.HTTPConnection):
    response_class = _Response


class _Https(http.client.HTTPSConnection):
    response_class = _Response


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Http, request)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_Https, request)


# Only this machine is reached without TLS. A proxy on the way would read the secret.
_proxies = {name: proxy for name, proxy in urllib.request.getproxies().items() if name != "http"}
_opener = urllib.request.build_opener(_NoRedirect, _HttpHandler, _HttpsHandler, urllib.request.ProxyHandler(_proxies))


def _ascii_host(host: str) -> str:
    """Returns a host as browsers write it. Python alone follows an older standard, in which straße.de is strasse.de."""

    def written(label: "re.Match[str]") -> str:
        return "xn--" + unicodedata.normalize("NFC", label[0]).encode("punycode").decode()

    return re.sub("[^.]*[ßς\u200c\u200d][^.]*", written, host).encode("idna").decode()


def service_address(text: str) -> str:
    """Returns a service's address without a trailing slash. Raises `invalid_service_address`."""
    try:
        url = urlsplit(text)
        host, _ = url.hostname, url.port
        # As both are encoded when a request is sent.
        encoded, _ = _ascii_host(host or ""), url.path.encode("ascii")
    except ValueError:
        url, host, encoded = urlsplit(""), None, ""
    is_loopback = host in ("localhost", "::1") or re.fullmatch(r"127(\.\d+){3}", host or "") is not None
    if url.scheme not in ("http", "https") or not host:
        wrong = "must be a full address such as https://placard.example"
    elif url.username is not None or url.query or url.fragment:
        wrong = "must not have a user name, password, query or fragment"
    elif url.scheme == "http" and not is_loopback:
        wrong = "must begin with https://, because a secret is sent to it"
    else:
        # As the client for Node writes it into the journal, which both may use.
        usual = ":443" if url.scheme == "https" else ":80"
        netloc = url.netloc.lower().replace(host, encoded)
        return f"{url.scheme}://{netloc[: -len(usual)] if netloc.endswith(usual) else netloc}{url.path}".rstrip("/")
    advice = "Nothing was sent. Ask the operator of the service for its address."
    raise usage_error("invalid_service_address", f"The service address {wrong}.", advice, "service")


@dataclass
class Answer:
    status: int
    body: Any
    decision_id: Optional[str]


def exchange(
    method: str, url: str, fits: Callable[[Any], bool], timeout: float,
    headers: Optional[Dict[str, str]] = None, body: Optional[str] = None,
) -> Answer:
    """Sends one request, once. Raises PlacardError unless the reply is 200 or 201 and follows the contract."""
    sent = {"Accept": "application/json", "User-Agent": f"placard-agent-python/{VERSION}", **(headers or {})}
    if body is not None:
        sent["Content-Type"] = "application/json"
    request = urllib.request.Request(url, None if body is None else body.encode(), sent, method=method)
    try:
        try:
            reply = _opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            reply = error
        with reply:
            raw = b"" if 300 <= reply.status < 400 else _read(reply)
    except (OSError, http.client.HTTPException) as error:
        raise _network_error(error, timeout) from None
    facts = _facts(reply.status, reply.headers)
    if 300 <= reply.status < 400:
        raise PlacardError(
            "refused", "redirected",
            f"The service address redirects to {_target(url, reply.headers)}, and a secret is not sent after a redirect.",
            "If you trust that address, use it as the service address.", status=reply.status,
        )
    # Of a reply without a type, Python says that it is text/plain.
    content_type = reply.headers.get_content_type() if "content-type" in reply.headers else "untyped"
    content = _parse(raw, content_type, facts)
    if reply.status in (200, 201):
        if not fits(content):
            raise _invalid("it does not follow the contract", facts)
        return Answer(reply.status, content, facts.get("decision_id"))
    error = _service_error(reply.status, content, facts)
    raise _wrong_address(error, url) if error.code == "not_found" else error


def _wrong_address(error: PlacardError, url: str) -> PlacardError:
    """Returns the error for a missing operation with its cause: something is wrong with the service address."""
    service, name = url.rsplit(f"{API}/", 1)
    if name not in ("capabilities", "check", "listings", "quote", "approvals"):
        return error
    origin = "/".join(service.split("/")[:3])
    error.error = f"{service} is not the address of a Placard site, which ends after the host."
    error.what_next = f"Use {origin} as the service address."
    if service == origin:
        error.error = f"{service} has no such operation: it is not a Placard site, or runs an older version."
        error.what_next = "Check the service address."
    return error


def _target(url: str, headers: Any) -> str:
    try:
        target = urlsplit(urljoin(url, headers.get("location", "")))
    except ValueError:
        return "something that is no address"
    return shown(f"{target.scheme}://{target.netloc}")


def _read(reply: Any) -> bytes:
    chunks: List[bytes] = []
    while sum(map(len, chunks)) <= REPLY_MAX_BYTES:
        chunk = reply.read1(65536)
        if not chunk:
            # A connection that ends early is otherwise taken for the end of the reply.
            if getattr(reply, "length", None):
                raise http.client.IncompleteRead(b"")
            return b"".join(chunks)
        chunks.append(chunk)
    raise _invalid("it is too large", {})


# Causes that occur before the first byte of a request is sent.
NEVER_SENT = ("ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH")


def _network_error(error: Exception, timeout: float) -> PlacardError:
    cause = getattr(error, "reason", error)
    # These end before the first byte of the request.
    if isinstance(cause, ssl.SSLCertVerificationError):
        what = (
            f"The certificate of the service is not valid here ({shown(cause.verify_message)}), so nothing was sent. "
            "Check its address. If its certificate is from your own authority, name that in SSL_CERT_FILE."
        )
        return PlacardError("postponed", "network_error", what, "Try again later.")
    # Named as in the client for Node.
    name = errno.errorcode.get(getattr(cause, "errno", None) or 0)
    if isinstance(cause, socket.gaierror):
        name = "EAI_AGAIN" if cause.errno == socket.EAI_AGAIN else "ENOTFOUND"
    if name in NEVER_SENT:
        what = f"The service could not be reached ({name}). Is its address right, and is it running?"
        return PlacardError("postponed", "network_error", what, "Try again later.")
    if isinstance(cause, (socket.timeout, TimeoutError)):
        what = f"The service did not answer within {timeout:g} seconds."
        return PlacardError("unknown", "timeout", what, "Try again.")
    what = f"The connection to the service was lost before its answer was there{f' ({name})' if name else ''}."
    if isinstance(cause, ssl.SSLError):
        what = "No secure connection to the service (SSLError). Is its address right, and does its port speak https?"
    return PlacardError("unknown", "network_error", what, "Try again.")


def _parse(raw: bytes, content_type: str, facts: Dict[str, Any]) -> Any:
    if content_type != "application/json":
        raise _invalid(f"it is {shown(content_type)}, not JSON", facts)
    try:
        return json.loads(raw.decode())
    except (ValueError, RecursionError):
        # The parser's own message may quote a private link.
        raise _invalid("it is not valid JSON", facts) from None


def _service_error(status: int, body: Any, facts: Dict[str, Any]) -> PlacardError:
    if not _has(body, code=str, error=str) or not re.fullmatch(r"[\w.:-]{1,64}", body["code"]):
        return _invalid("it does not follow the contract", facts)
    if not shown(body["error"]).strip():
        return _invalid("it does not say what is wrong", facts)
    off = body.get("reason") == "payments_off"
    kind = "unknown" if status >= 500 and not off else "postponed" if status == 429 else "refused"
    # Models read bodies, so the body may have what is in a header, too.
    seconds = body.get("retryAfterSeconds")
    if isinstance(seconds, int) and not isinstance(seconds, bool) and seconds >= 0:
        facts = {**facts, "retry_after_seconds": min(seconds, LONGEST_WAIT_SECONDS)}
    if isinstance(body.get("decisionId"), str) and UUID_PATTERN.fullmatch(body["decisionId"]):
        facts = {**facts, "decision_id": body["decisionId"].lower()}
    more = {name: shown(body[name]) for name in ("field", "reason") if isinstance(body.get(name), str)}
    again = "Change what the message names, then try again." if kind == "refused" else "Try again later."
    if off:
        again = "Tell the customer that no place is for sale here."
    return PlacardError(kind, body["code"], shown(body["error"]), again, **more, **facts)


def _facts(status: int, headers: Any) -> Dict[str, Any]:
    request_id, decision_id = headers.get("x-request-id", ""), headers.get(DECISION_HEADER, "")
    return {
        "status": status,
        "retry_after_seconds": _retry_after(headers),
        "request_id": request_id if re.fullmatch(r"[\w.:-]{1,64}", request_id) else None,
        "decision_id": decision_id.lower() if UUID_PATTERN.fullmatch(decision_id) else None,
    }


def _retry_after(headers: Any) -> Optional[int]:
    text = (headers.get("retry-after") or "").strip()
    if re.fullmatch(r"[0-9]+", text):
        return min(int(text[:12]), LONGEST_WAIT_SECONDS)
    until, here = _http_date(text), _http_date(headers.get("date") or "")
    if until is None:
        return None
    # Relative to the reply's own clock, so that a wrong one here does not matter.
    return int(min(max(0.0, until - (time.time() if here is None else here)), LONGEST_WAIT_SECONDS))


def _http_date(text: str) -> Optional[float]:
    try:
        return email.utils.parsedate_to_datetime(text).timestamp() if text.endswith(" GMT") else None
    except (TypeError, ValueError):
        return None


def _invalid(why: str, facts: Dict[str, Any]) -> PlacardError:
    what = "Something other than the service may have sent it: check the service address."
    if facts.get("status", 0) >= 500:
        what = "A proxy that cannot reach the service may have sent it."
    error = f"The answer cannot be used: {why}. {what}"
    return PlacardError("unknown", "invalid_response", error, "Try again.", **facts)


def with_retries(attempt: Callable[[], Any], budget: float, first_backoff: float, on_retry: Any = None) -> Any:
    """Tries until success or a final answer. Raises the last error if the next wait would exceed the budget."""
    started, failures = time.monotonic(), 0
    while True:
        try:
            return attempt()
        except PlacardError as error:
            backoff = min(first_backoff * 2**failures, LONGEST_BACKOFF_SECONDS)
            # "Retry-After: 0" does not mean without pause. The random part keeps clients from returning at once.
            wait = error.retry_after_seconds or backoff * (0.5 + random.random() / 2)
            left = budget - (time.monotonic() - started) - wait
            if not error.is_temporary or left < 0:
                raise
            if on_retry:
                on_retry(error, wait, left)
            time.sleep(wait)
            failures += 1


# What replies must have. Further fields are allowed: a later version of the contract may add some.


def _has(value: Any, **fields: Any) -> bool:
    """Returns whether a value is an object with these fields: of a type, or equal to a value."""
    if not isinstance(value, dict):
        return False
    return all(
        # In Python, a truth value is a whole number, too.
        type(value.get(name)) is wanted if isinstance(wanted, type) else value.get(name) is wanted
        for name, wanted in fields.items()
    )


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and re.match(r"https?://[^/]", value) is not None


def _is_receipt(body: Any) -> bool:
    return (
        _has(body, requestId=str, chargeCreated=False, paidRankingChanged=False, notice=str, ownership=dict)
        and body.get("status") in ("published", "expired", "unavailable")
        and _is_address(body.get("productUrl"))
        and (body.get("expiresAt", "") is None or _has(body, expiresAt=int))
        and _has(body["ownership"], sensitive=True, domainOwnershipVerified=False)
        and _is_address(body["ownership"].get("privateRecoveryUrl", "https://absent"))
    )


def _is_quote(body: Any) -> bool:
    is_whole = _has(body, chargeAmountCents=int, expiresAt=int, humanConfirmationRequired=True, chargeCreated=False)
    is_preview = is_whole and body.get("kind") == "non_binding_preview" and body.get("currency") == "usd"
    return is_preview and _is_address(body.get("handoffUrl"))


def _is_check(body: Any) -> bool:
    fields = {"wouldPublish": bool, "destination": str, "publishReply": dict, "remaining": dict, "notice": str}
    if not _has(body, **fields, remainingUntil=int, chargeCreated=False):
        return False
    listing, listed = body.get("listing"), body.get("alreadyListed")
    limits = ("newAttemptsPerDayPerIp", "newAttemptsPerDayPerHost", "newAttemptsPerDayGlobal", "checksPerDayPerIp",
              "checksPerDayPerHost")
    is_preview = listing is None or _has(listing, title=str, description=str)
    return _has(body["remaining"], **{each: int for each in limits}) and is_preview and (listed is None or _has(listed, status=str))


def _is_capabilities(body: Any) -> bool:
    is_whole = _has(body, categories=list, publishingPolicy=dict, discovery=dict)
    return is_whole and body.get("version") == CONTRACT_VERSION


def _is_decision(body: Any) -> bool:
    fields = {"id": str, "kind": str, "decision": str, "decidedAt": int, "reason": str, "about": dict, "ground": dict}
    return _has(body, **fields, contest=dict) and _has(body["contest"], isPossible=bool, how=str)


def _is_approval(body: Any) -> bool:
    is_whole = _has(body, code=str, status=str, expiresAt=int, chargeCreated=False)
    return is_whole and _is_address(body.get("approvalUrl"))


# The journal


class Journal:
    """A file that only its owner can read (mode 0600), which only grows. The client for Node uses the same format.

    There is no lock. The operating system orders appends from several processes, and each line is one write, so all
    processes that append and then read see the same order. This is true for local disks, not for network shares.
    """

    _HEAD = re.compile(rb'\{"sum":"([0-9a-f]{16})",("bytes":([0-9]{1,7}),)')
    _CLOSED = re.compile(rb'(.*)\{"torn":"([0-9a-f]{16})"\}', re.S)
    _FIRST_VERSION = frozenset("type at service key secret body state status code receipt".split())

    def __init__(self, path: Optional[str] = None):
        self.name = os.path.abspath(path or default_journal_path())

    def append(self, record: Dict[str, Any]) -> None:
        """Adds a record. When this returns, it is on disk."""
        content = compact({"v": 2, **{name: value for name, value in record.items() if value is not None}})[1:].encode()
        summed = b'"bytes":%d,%s' % (len(content), content)
        line = b'{"sum":"%s",%s\n' % (_sum(summed), summed)
        self._write(lambda tail: self._closing(tail) + line)

    def sync(self) -> None:
        """When this returns, all that `read` returned is on disk, including what another process has just written."""
        self._write(lambda _: b"")

    def read(self) -> List[Dict[str, Any]]:
        """Returns all records, oldest first. Skips a last line that a crash cut off: nothing was sent for it."""
        try:
            lines = self._bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unusable(error) from None
        records = []
        for number, line in enumerate(lines, 1):
            what, record = self._parse(line)
            if what == "newer":
                error = f"Line {number} of the journal {self.name} was written by a newer version of this client."
                advice = "Nothing was sent. Update the client, or name another file."
                raise usage_error("journal_newer", error, advice, "store")
            if what == "damaged" and not (number == len(lines) and self._is_cut_off(line)):
                raise self._damaged(f"Line {number}")
            if record is not None:
                records.append(record)
        return records

    def _bytes(self) -> bytes:
        descriptor = os.open(self.name, os.O_RDONLY | OPEN_FLAGS)
        # A device or a pipe stores nothing, and could block. For a folder, Python would name only the descriptor.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError("It is not a regular file.")
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def _write(self, to_write: Callable[[bytes], bytes]) -> None:
        folder = os.path.dirname(self.name)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            descriptor = os.open(self.name, os.O_RDWR | os.O_APPEND | os.O_CREAT | OPEN_FLAGS, 0o600)
            try:
                state = os.fstat(descriptor)
                if not stat.S_ISREG(state.st_mode):
                    raise OSError("It is not a regular file.")
                if os.name == "posix" and state.st_mode & 0o077:
                    os.fchmod(descriptor, 0o600)
                data = to_write(self._bytes().rsplit(b"\n", 1)[-1])
                if data and os.write(descriptor, data) < len(data):
                    raise OSError("The disk is full.")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if os.name == "posix":
                self._sync_folder(folder)
        except OSError as error:
            raise self._unusable(error) from None

    @staticmethod
    def _sync_folder(folder: str) -> None:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _closing(self, tail: bytes) -> bytes:
        """Returns what to write before a new line: nothing, or the end of an unfinished last line."""
        if not tail:
            return b""
        if self._parse(tail)[0] != "damaged":
            return b"\n"
        if self._is_cut_off(tail):
            return b'{"torn":"%s"}\n' % _sum(tail)
        raise self._damaged("The last line")

    def _parse(self, line: bytes) -> Tuple[str, Optional[Dict[str, Any]]]:
        if not line:
            return "noted", None
        closed = self._CLOSED.fullmatch(line)
        if closed:
            return ("noted" if not closed[1] or _sum(closed[1]) == closed[2] else "damaged"), None
        try:
            value = json.loads(line.decode())
        except ValueError:
            value = None
        head = self._HEAD.match(line)
        if head and _sum(line[head.start(2) :]) != head[1]:
            return "damaged", None
        if head and not (isinstance(value, dict) and value.get("v") == 2):
            return "newer", None
        # The first version had no checksum, so an unknown field is a damaged name.
        is_known = isinstance(value, dict) and (head is not None or self._FIRST_VERSION.issuperset(value))
        if not is_known or not _is_record(value):
            return "damaged", None
        return "whole", {name: each for name, each in value.items() if name not in ("sum", "bytes", "v")}

    def _is_cut_off(self, tail: bytes) -> bool:
        head = self._HEAD.match(tail)
        if head:
            return len(tail) < head.end() + int(head[3]) and _breaks_off(tail)
        starts = (b'{"sum":"', b'{"type":"')
        if tail.startswith(starts[1]):
            return _breaks_off(tail)
        if tail.startswith(starts[0]):
            return len(tail) < len(b'{"sum":"0123456789abcdef","bytes":1234567,')
        return any(start.startswith(tail) for start in starts)

    def _unusable(self, error: OSError) -> PlacardError:
        advice = (
            "Nothing was sent: without a journal, a receipt could be lost. Free the disk, fix the file’s permissions, "
            "or name another file."
        )
        return usage_error("journal_unusable", f"Cannot use the journal {self.name}: {error}", advice, "store")

    def _damaged(self, line: str) -> PlacardError:
        advice = (
            "Nothing was sent. Restore the journal from a backup, or fix that line. If you can do neither, delete the "
            "line: listings published with it can then be managed only by their private link."
        )
        what = f"{line} of the journal {self.name} is damaged, and may hold the only key of a listing."
        error = usage_error("journal_damaged", what, advice, "store")
        error.keep_credentials = True
        return error


def _sum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:16].encode()


def _breaks_off(data: bytes) -> bool:
    depth = 0
    for token in re.findall(rb'"(?:[^"\\]|\\.)*"?|[{}]', data, re.S):
        depth += (token == b"{") - (token == b"}")
        if token == b"}" and depth == 0:
            return False
    return True


def _is_record(value: Dict[str, Any]) -> bool:
    if not (isinstance(value.get("key"), str) and KEY_PATTERN.fullmatch(value["key"])):
        return False
    if value.get("type") == "outcome":
        return value.get("state") in STATES
    is_whole = value.get("type") == "submission" and _has(value, service=str, secret=str, body=str)
    return is_whole and SECRET_PATTERN.fullmatch(value["secret"]) is not None and _wanted(value["body"]) is not None


def _wanted(body: str) -> Optional[Tuple[str, str]]:
    try:
        given = json.loads(body)
    except ValueError:
        return None
    return (given["destination"], given["category"]) if _has(given, destination=str, category=str) else None


def default_journal_path() -> str:
    if os.environ.get("PLACARD_JOURNAL"):
        return os.environ["PLACARD_JOURNAL"]
    state, home = os.environ.get("XDG_STATE_HOME", ""), os.path.expanduser("~")
    # A relative path counts as none, as its specification says: each working folder would have a journal.
    if not os.path.isabs(state):
        if not os.path.isabs(home) or os.environ.get("HOME") == "":
            advice = "Name a file with PLACARD_JOURNAL or --journal, or pass a path to Journal."
            raise usage_error("journal_unusable", "There is no home folder for the journal.", advice, "store")
        state = os.path.join(home, ".local", "state")
    return os.path.join(state, "placard", "journal.jsonl")


# Submissions


@dataclass
class Submission:
    """One submission: exactly what is sent, and its state."""

    service: str
    destination: str
    category: str
    key: str
    secret: str = field(repr=False)
    body: str
    at: str
    approval: Optional[Dict[str, str]]
    state: str = "unknown"
    outcome: Optional[Dict[str, Any]] = field(default=None, repr=False)
    appeals: Dict[str, Dict[str, Any]] = field(default_factory=dict, repr=False)


@dataclass
class Publication:
    """A listing with its current receipt, which contains no secret. `replayed`: it was already accepted."""

    receipt: Dict[str, Any]
    replayed: bool
    decision_id: Optional[str] = None
    private_link: Optional[str] = field(default=None, repr=False)

    def to_json(self) -> Dict[str, Any]:
        decision = {} if self.decision_id is None else {"decisionId": self.decision_id}
        return {"receipt": self.receipt, "replayed": self.replayed, **decision}


def read_submissions(journal: Journal) -> List[Submission]:
    """Returns all submissions, oldest first and each once, in the state that follows from their outcomes."""
    found: Dict[str, Submission] = {}
    outcomes: Dict[str, Dict[str, Any]] = {}
    appeals: Dict[str, Dict[str, Dict[str, Any]]] = {}
    for record in journal.read():
        key = record["key"]
        if record["type"] == "outcome":
            outcomes[key] = _stronger(outcomes.get(key), record)
            appeal, known = record.get("appeal"), appeals.setdefault(key, {})
            if appeal and known.get(appeal["decisionId"], {}).get("state") != "received":
                known[appeal["decisionId"]] = appeal
        elif key not in found:
            destination, category = _wanted(record["body"]) or ("", "")
            found[key] = Submission(
                record["service"], destination, category, key, record["secret"], record["body"], record["at"],
                record.get("approval"),
            )
    for key, one in found.items():
        one.outcome, one.appeals = outcomes.get(key), appeals.get(key, {})
        # Without an outcome, it may be accepted. Only sending it can tell.
        one.state = "unknown" if one.outcome is None or one.outcome.get("reopened") else one.outcome["state"]
    return list(found.values())


def _stronger(one: Optional[Dict[str, Any]], other: Dict[str, Any]) -> Dict[str, Any]:
    """Two processes may report in any order, so the more conclusive report wins; of equals, the later one."""
    if one is None:
        return other
    if one["state"] != other["state"]:
        return max(one, other, key=lambda each: STATES.index(each["state"]))
    earlier, later = (other, one) if one["at"] > other["at"] else (one, other)
    kept = {name: earlier[name] for name in ("receipt", "privateLink") if name in earlier}
    return later if "receipt" in later else {**later, **kept}


# Files that web servers send for a folder.
FOLDER_PAGES = set("index.html index.htm index.php index.jsp default.htm default.asp default.aspx".split())


def destination_key(destination: str) -> str:
    """Returns a key that all spellings of one destination share, by the service's rules."""
    try:
        url = urlsplit(destination.strip().replace("\\", "/"))
        host, port = _bare_host(url.hostname or ""), url.port
    except ValueError:
        return destination
    if url.scheme not in ("http", "https") or not host:
        return destination
    is_usual = port in (None, {"http": 80, "https": 443}[url.scheme])
    names: List[str] = []
    for name in map(_one_spelling, url.path.split("/")):
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    if names and names[-1].lower() in FOLDER_PAGES:
        names.pop()
    return "/".join([f"{host}:{'' if is_usual else port}", *names])


def _one_spelling(name: str) -> str:
    """Gives each character of a path one spelling (RFC 3986, 6.2.2), without empty parameters and escaped blanks."""

    def escape(found: "re.Match[str]") -> str:
        if found[1] is None:
            return percent_encoded(found[0], safe="", errors="replace")
        character = chr(int(found[1], 16))
        return character if re.fullmatch(r"[A-Za-z0-9_.~-]", character) else found[0].upper()

    name = re.sub(r"%([0-9a-fA-F]{2})|[^A-Za-z0-9_.~!$&'()*+,;=:@-]", escape, name)
    return re.sub(r"(;|%20|%09|%0A|%0D|%C2%A0)+$", "", name)


def _bare_host(host: str) -> str:
    host = host.rstrip(".").lower()
    try:
        host = host if host.isascii() else _ascii_host(host)
    except UnicodeError:
        pass
    while host.startswith("www."):
        host = host[4:]
    return host


def _same(submissions: List[Submission], service: str, destination: str) -> List[Submission]:
    key = destination_key(destination)
    return [one for one in submissions if one.service == service and destination_key(one.destination) == key]


def _current(same: List[Submission]) -> Optional[Submission]:
    """Returns the one submission of a destination that counts, since a destination is listed only once."""
    for state, pick in (("accepted", 0), ("unknown", 0), ("postponed", -1)):
        matching = [one for one in same if one.state == state]
        if matching:
            return matching[pick]
    return same[-1] if same else None


def current_of_each(submissions: List[Submission]) -> List[Submission]:
    groups: Dict[Tuple[str, str], List[Submission]] = {}
    for one in submissions:
        groups.setdefault((one.service, destination_key(one.destination)), []).append(one)
    return [one for one in map(_current, groups.values()) if one]


def meant(submissions: List[Submission], text: Optional[str], journal: str) -> Submission:
    """Returns the submission named by an address in any spelling, a host name, or nothing if there is only one."""
    found = current_of_each(submissions)
    if text is not None:
        keys = (destination_key(text), destination_key(f"https://{text}"))
        exact = [one for one in found if destination_key(one.destination) in keys]
        host = _host_of(text)
        found = exact or [one for one in found if host and _host_of(one.destination) == host]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{one.destination} at {one.service}" for one in found[:10])
        is_on_several = len({one.service for one in found}) > 1
        advice = f"Name the whole address{', and the service' if is_on_several else ''}."
        error = f"That may be any of several submissions: {names}."
        raise usage_error("which_submission", error, advice, "destination")
    of = "" if text is None else f" of {plain(text[:200])}"
    advice = "If it was published from another machine, use that machine’s journal. Otherwise, publish it."
    raise usage_error("unknown_submission", f"The journal {journal} holds no submission{of}.", advice, "destination")


def meant_by_decision(submissions: List[Submission], text: Optional[str], journal: str) -> Submission:
    """Returns the submission whose decision is meant: as `meant`, but without a name, among the refused, if any."""
    refused = [one for one in current_of_each(submissions) if one.state == "refused"] if text is None else []
    return meant(refused or submissions, text, journal)


def _host_of(text: str) -> str:
    try:
        return _bare_host(urlsplit(text if re.match(r"https?://", text, re.I) else f"https://{text}").hostname or "")
    except ValueError:
        return ""


def when_to_repeat(error: PlacardError) -> str:
    seconds = error.retry_after_seconds
    return f"after {utc_text((time.time() + seconds) * 1000)}" if seconds else "later"


# Refusals sent before the service looks up the key. They say nothing about an earlier, unanswered request.
BEFORE_LOOKUP = {
    "invalid_json", "invalid_body", "invalid_idempotency_key", "invalid_submission_secret", "body_too_large",
    "unsupported_media_type",
}
# Statuses that end a submission, so that a later publish needs a new key.
ENDING_STATUSES = {400, 409, 413, 415, 422}


class PlacardClient:
    """A client for a Placard service. It raises only PlacardError. Times are in seconds."""

    def __init__(
        self, service: str, journal: Optional[Journal] = None, *, request_timeout: float = 30, wait_budget: float = 120,
        first_backoff: float = 0.5, on_retry: Optional[Callable[[PlacardError, float, float], None]] = None,
    ):
        self.service = service_address(service)
        self._journal = journal
        self._timeout, self._budget = request_timeout, wait_budget
        self._backoff, self._on_retry = first_backoff, on_retry

    def capabilities(self) -> Dict[str, Any]:
        """Returns what the service offers now: categories, limits, and whether free submissions are open."""
        return self._reading("GET", f"{API}/capabilities", _is_capabilities)

    def check(self, destination: str, category: str) -> Dict[str, Any]:
        """Returns what a publish would answer. It publishes, reserves and uses up nothing, and needs no approval."""
        self._check(destination, category)
        return self._reading("POST", f"{API}/check", _is_check, {"destination": destination, "category": category})

    def quote(self, destination: str, category: str, board: str, target_bid: int) -> Dict[str, Any]:
        """Returns the price of a place. It charges nothing: a person confirms at `handoffUrl` in a browser."""
        self._check(destination, category)
        asked = {"destination": destination, "category": category, "board": board, "targetBid": target_bid}
        return self._reading("POST", f"{API}/quote", _is_quote, asked)

    def ask_approval(self, destination: str, category: str, agent: str) -> Dict[str, Any]:
        """Asks the customer for approval in a browser, under the name `agent`. Give them `approvalUrl`."""
        self._check(destination, category)
        asked = {"destination": destination, "category": category, "agent": agent}
        return self._reading("POST", f"{API}/approvals", _is_approval, asked)

    def approval(self, code: str) -> Dict[str, Any]:
        """Waits for the customer's answer, at most 25 seconds. Then `status` is still `waiting`."""
        wait = max(0, min(APPROVAL_WAIT_SECONDS, int(self._timeout) - 4))
        path, headers = f"{API}/approvals/{percent_encoded(code, safe='')}", {"Prefer": f"wait={wait}"}
        return self._reading("GET", path, _is_approval, headers=headers)

    def publish(
        self, destination: str, category: str, *, user_approved: bool, approval: Optional[Dict[str, str]] = None
    ) -> Publication:
        """Publishes a destination that the customer approved, or returns its receipt again.

        If they approved in a browser, set `approval` to `{"how": "approved in a browser", "code": code}`.
        """
        if user_approved is not True:
            raise _approval_required("Publishing needs the customer’s explicit yes to exactly this public listing.")
        submission, resumed = self._begin(destination, category, approval or {"how": "userApproved"})
        try:
            return self._deliver(submission, resumed)
        except PlacardError as error:
            if error.code == "destination_already_listed":
                self._find_replaced(destination, category)
            raise

    def submissions(self) -> List[Submission]:
        """Returns every submission in the journal for this service. Sends nothing."""
        return [one for one in read_submissions(self.journal) if one.service == self.service]

    def status(self, destination: Optional[str] = None) -> Submission:
        """Returns a submission now. Sends it again if it is or may be accepted, because only that tells its state."""
        submission = meant(self.submissions(), destination, self.journal.name)
        if submission.state in ("refused", "postponed"):
            return submission
        self.journal.sync()
        found = self._deliver(submission, True)
        # Not from the journal: on a full disk, it lacks this answer.
        outcome = {
            "at": now(), "state": "accepted", "decisionId": found.decision_id, "receipt": found.receipt,
            "privateLink": found.private_link,
        }
        known = {name: value for name, value in outcome.items() if value is not None}
        return replace(submission, state="accepted", outcome=known)

    def resume(self) -> List[Tuple[Submission, Any]]:
        """Sends every unfinished submission again, and returns each with its Publication or PlacardError."""
        unfinished = [one for one in current_of_each(self.submissions()) if one.state in ("unknown", "postponed")]
        self.journal.sync()
        return [(one, self._resumed(one)) for one in unfinished]

    def decision(self, which: Optional[str] = None) -> Dict[str, Any]:
        """Returns the reasons for a decision, named by its id or its website. Changes nothing at the service."""
        return self._find_decision(which)[1]

    def appeal(
        self, statement: str, which: Optional[str] = None, *, user_approved: bool,
        approval: Optional[Dict[str, str]] = None,
    ) -> Dict[str, Any]:
        """Appeals a decision once, with a statement that the customer approved. Returns the decision."""
        if user_approved is not True:
            raise _approval_required("An appeal is sent in the customer’s name, and needs their explicit yes.")
        check_statement(statement)
        submission, decision = self._find_decision(which)
        check_contestable(decision)
        if submission.secret.lower() in statement.lower():
            raise _invalid_statement()
        kept = submission.appeals.get(decision["id"])
        if not kept or kept["statement"] != statement or kept["state"] == "refused":
            kept = {
                "decisionId": decision["id"], "statement": statement, "at": now(),
                "approval": approval or {"how": "userApproved"}, "state": "unknown",
            }
            self._record_appeal(submission, kept)
        else:
            self.journal.sync()
        try:
            sent = self._about(submission, "POST", f"{decision['id']}/appeal", compact({"statement": statement}))
        except PlacardError as error:
            if error.kind == "refused":
                self._note_appeal(submission, {**kept, "state": "refused"})
                error.what_next = "Read the decision: it says what can be done, and what came of an appeal."
            else:
                error.what_next = (
                    f"The statement is saved in {self.journal.name}. Repeat the same appeal {when_to_repeat(error)}: "
                    "it counts once."
                )
            raise
        self._note_appeal(submission, {**kept, "state": "received"})
        return sent

    def _check(self, destination: str, category: str) -> None:
        _check_fields(destination, category)
        _check_spelling(self.service, destination, category)

    @property
    def journal(self) -> Journal:
        if self._journal is None:
            error = "This client has no journal, so the credentials of this submission would be lost."
            raise usage_error("store_needed", error, "Nothing was sent. Give the client a Journal().", "store")
        return self._journal

    def _reading(
        self, method: str, path: str, fits: Callable[[Any], bool], body: Any = None,
        headers: Optional[Dict[str, str]] = None,
    ) -> Any:
        url, text = self.service + path, None if body is None else compact(body)
        try:
            return self._retrying(lambda: exchange(method, url, fits, self._timeout, headers, text), True).body
        except PlacardError as error:
            again = f"Try again {when_to_repeat(error)}." if error.is_temporary and error.status is not None else None
            error.what_next = again or _refusal_advice(error) or error.what_next
            raise

    def _retrying(self, attempt: Callable[[], Answer], is_read: bool = False) -> Answer:
        budget = min(self._budget, READ_WAIT_SECONDS) if is_read else self._budget
        return with_retries(attempt, budget, self._backoff, self._on_retry)

    def _begin(self, destination: str, category: str, approval: Dict[str, str]) -> Tuple[Submission, bool]:
        """Returns what to send, which is saved when this returns: an earlier submission, or a new one.

        If two processes begin the same publish at once, each writes a record and then reads: the first record wins, so
        both send the same key.
        """
        _check_fields(destination, category)
        earlier = self._live(destination, category)
        if earlier:
            self.journal.sync()
            return _in_category(earlier, category), True
        # Only after reading the journal: a replay is sent unchanged, even if its fields have become invalid.
        _check_spelling(self.service, destination, category)
        given = {"scope": "free_listing_publish", "userApproved": True, "rulesVersion": CONTRACT_VERSION}
        if approval.get("code"):
            given["approvalCode"] = approval["code"]
        body = compact({"destination": destination, "category": category, "approval": given})
        key, secret = str(uuid.uuid4()), token_hex(32)
        self.journal.append({
            "type": "submission", "at": now(), "service": self.service, "key": key, "secret": secret, "body": body,
            "approval": approval,
        })
        first = self._live(destination, category)
        if first is None:
            raise usage_error(
                "journal_unusable", f"The journal {self.journal.name} does not store what is written to it.",
                "Nothing was sent. Name another file.", "store",
            )
        resumed = first.key != key
        same = _same(self.submissions(), self.service, destination)
        for one in same:
            if one.key == key if resumed else one.state == "postponed":
                self._record(one, state="refused", code="superseded")
        return _in_category(first, category), resumed

    def _find_replaced(self, destination: str, category: str) -> None:
        """Sends this destination's submissions in other categories again, and raises `other_category` if one is listed.

        A process that was killed may have sent one, and not saved that it was accepted.
        """
        for one in _same(self.submissions(), self.service, destination):
            if one.state == "refused" and one.category != category:
                if isinstance(self._resumed(one), Publication):
                    _in_category(replace(one, state="accepted"), category)

    def _live(self, destination: str, category: str) -> Optional[Submission]:
        """Returns what a publish resumes: what is or may be accepted in any category, or is postponed in this one."""
        return _current([
            one for one in _same(self.submissions(), self.service, destination)
            if one.state != "refused" and (one.state != "postponed" or one.category == category)
        ])

    def _resumed(self, submission: Submission) -> Any:
        try:
            return self._deliver(submission, True)
        except PlacardError as error:
            return error

    def _deliver(self, submission: Submission, resumed: bool) -> Publication:
        """Sends a saved submission until the service accepts or finally refuses it, and saves the outcome."""
        doubtful = resumed and submission.state == "unknown"
        headers = {KEY_HEADER: submission.key, SECRET_HEADER: submission.secret}

        def send() -> Answer:
            nonlocal doubtful
            try:
                url = submission.service + f"{API}/listings"
                return exchange("POST", url, _is_receipt, self._timeout, headers, submission.body)
            except PlacardError as error:
                doubtful = doubtful or error.kind == "unknown"
                raise

        try:
            answer = self._retrying(send)
        except PlacardError as error:
            ended = error.kind == "refused" and error.status in ENDING_STATUSES
            ended = ended and not (doubtful and error.code in BEFORE_LOOKUP)
            after = "refused" if ended else "unknown" if doubtful else "postponed"
            before = submission.state if resumed else "postponed"
            state = max(before, after, key=STATES.index)
            self._note(submission, state=state, status=error.status, code=error.code, decisionId=error.decision_id)
            error.keep_credentials = state != "refused"
            error.what_next = _publish_advice(error, state, self.journal.name)
            raise
        ownership = dict(answer.body["ownership"])
        link = ownership.pop("privateRecoveryUrl", None)
        receipt = {**answer.body, "ownership": ownership}
        publication = Publication(receipt, answer.status == 200, answer.decision_id, link)
        self._note(
            submission, state="accepted", status=answer.status, decisionId=answer.decision_id,
            receipt=receipt, privateLink=link,
        )
        return publication

    def _record(self, one: Submission, **outcome: Any) -> None:
        # Never before the last one, also after a clock was set back.
        at = max(now(), (one.outcome or {}).get("at", ""))
        self.journal.append({"type": "outcome", "at": at, "key": one.key, **outcome})

    def _note(self, one: Submission, **outcome: Any) -> None:
        # The credentials are saved already, so a full disk must not cost the caller the receipt.
        try:
            self._record(one, **outcome)
        except PlacardError:
            pass

    def _record_appeal(self, submission: Submission, appeal: Dict[str, Any]) -> None:
        outcome = submission.outcome or {"at": now(), "state": "unknown"}
        kept = {name: value for name, value in outcome.items() if name not in ("receipt", "privateLink")}
        self.journal.append({**kept, "type": "outcome", "key": submission.key, "appeal": appeal})

    def _note_appeal(self, submission: Submission, appeal: Dict[str, Any]) -> None:
        try:
            self._record_appeal(submission, appeal)
        except PlacardError:
            pass

    def _find_decision(self, which: Optional[str]) -> Tuple[Submission, Dict[str, Any]]:
        if which is not None and UUID_PATTERN.fullmatch(which):
            submissions = self.submissions()[::-1]
            known = [one for one in submissions if is_about(one, which.lower())]
            sought = [(one, which.lower()) for one in known or submissions[:20]]
        else:
            sought = [self._decision_of_website(which)]
        for submission, decision_id in sought:
            try:
                decision = self._about(submission, "GET", decision_id)
            except PlacardError as error:
                if error.code == "not_found" and submission is not sought[-1][0]:
                    continue
                if error.code == "not_found":
                    error.error = "The service knows no such decision about a submission in this journal."
                    error.what_next = (
                        "It may be too old, of another service, or about a submission in another journal. Check its id, "
                        "or name the website."
                    )
                raise _read_again(error)
            # An appeal is sent to this id.
            if decision["id"].lower() != decision_id:
                raise _invalid("it is about another decision", {})
            self._note_decision(submission, decision)
            return submission, decision
        raise self._no_decision()

    def _decision_of_website(self, destination: Optional[str]) -> Tuple[Submission, str]:
        submissions = self.submissions()
        submission = meant_by_decision(submissions, destination, self.journal.name)
        if submission.state == "accepted":
            self.journal.sync()
            try:
                publication = self._deliver(submission, True)
            except PlacardError as error:
                raise _read_again(error)
            # The decision to accept has the id of the request.
            return submission, (publication.decision_id or publication.receipt["requestId"]).lower()
        for one in reversed(_same(submissions, self.service, submission.destination)):
            if one.outcome and one.outcome.get("decisionId"):
                return one, one.outcome["decisionId"].lower()
        raise self._no_decision()

    def _note_decision(self, submission: Submission, decision: Dict[str, Any]) -> None:
        kept, appeal = submission.appeals.get(decision["id"]), decision.get("appeal") or {}
        if kept and kept["state"] == "unknown" and appeal.get("statement") == kept["statement"]:
            self._note_appeal(submission, {**kept, "state": "received"})
        outcome = submission.outcome or {}
        is_reversed = decision["kind"] == "refuse" and (appeal.get("outcome") or {}).get("result") == "reversed"
        is_this = outcome.get("state") == "refused" and outcome.get("decisionId") == decision["id"]
        if is_reversed and is_this and not outcome.get("reopened"):
            facts = {name: outcome.get(name) for name in ("state", "status", "code", "decisionId")}
            self._note(submission, **facts, reopened=True)

    def _about(self, submission: Submission, method: str, path: str, body: Optional[str] = None) -> Any:
        url = f"{submission.service}{API}/decisions/{path}"
        secret = {SECRET_HEADER: submission.secret}
        return self._retrying(lambda: exchange(method, url, _is_decision, self._timeout, secret, body)).body

    def _no_decision(self) -> PlacardError:
        advice = "An unfinished submission has no decision yet: resume it. If a reply has a decisionId, use that."
        error = f"The journal {self.journal.name} has no decision about this."
        return usage_error("no_decision", error, advice, "decision")


def _read_again(error: PlacardError) -> PlacardError:
    if error.is_temporary:
        error.what_next = f"Reading it changes nothing: read it again {when_to_repeat(error)}."
    return error


def is_about(submission: Submission, decision_id: str) -> bool:
    """Returns whether the journal links a decision to this submission."""
    outcome = submission.outcome or {}
    request_id = (outcome.get("receipt") or {}).get("requestId")
    return decision_id in (outcome.get("decisionId"), request_id) or decision_id in submission.appeals


def _check_fields(destination: Any, category: Any) -> None:
    for code, name, value, most, advice in (
        ("invalid_destination", "destination", destination, DESTINATION_MAX_LENGTH,
         "Give the website’s address as a browser shows it."),
        ("unknown_category", "category", category, CATEGORY_MAX_LENGTH, "Choose one that capabilities lists."),
    ):
        if not isinstance(value, str) or not 0 < len(value) <= most:
            raise usage_error(code, f"The {name} must be a string of 1 to {most} characters.", advice, name)


def _check_spelling(service: str, destination: str, category: str) -> None:
    """Finds misspellings that every service refuses. The service decides about everything else."""
    if not re.match(r"https?://[^/?#]", destination, re.I):
        meant = _suggested_destination(destination, service)
        error = "The destination does not begin with https:// or http:// and the name of a website."
        advice = f"Did you mean {meant}?" if meant else "Give the whole address, as a browser shows it."
        raise usage_error("invalid_destination", error, advice, "destination")
    meant = None if category in CATEGORIES else suggested_category(category)
    if meant:
        raise usage_error("unknown_category", "There is no such category.", f'Did you mean "{meant}"?', "category")


# Top-level domains under which every name belongs to its registrant. Others have their own rules.
PLAIN_SUFFIXES = "com org net info biz dev app xyz shop store online site tech blog cloud page de nl eu ch be dk".split()


def _suggested_destination(given: str, service: str) -> Optional[str]:
    """Returns the https address for one given without `https://`, or None if a service might refuse it."""
    text = given.strip()
    is_unseen = any(each == "\\" or unicodedata.category(each)[0] == "Z" or each != plain(each) for each in text)
    found = re.match(r"(?://)?([^/?#@:%]+)([^?#]*)", text)
    if is_unseen or not found or found.end() < len(text) and text[found.end()] not in "?#":
        return None
    host, path = re.sub(r"\.$", "", found[1].lower()), found[2] or "/"
    bare, own = (re.sub(r"^www\.", "", each) for each in (host, urlsplit(service).hostname or ""))
    labels, suggestion = bare.split("."), f"https://{host}{path}"
    is_public = (
        len(labels) > 1 and labels[-1] in PLAIN_SUFFIXES and bare != own and "xn--" not in bare
        and not re.search(r"(^|\.)example\.(com|net|org)$", bare)
        and all(re.fullmatch(r"(?!-)[a-z0-9-]{1,63}(?<!-)", each) for each in labels)
    )
    is_plain = re.fullmatch(r"(/[\w-]{1,20})*(/|\.html?)?", path, re.ASCII) and len(suggestion) <= 120
    return suggestion if is_public and is_plain else None


def suggested_category(given: Optional[str]) -> Optional[str]:
    """Returns the category that a text nearly names: with a typo, another case, or "and" for "&"."""
    if given is None or len(given) > 60:
        return None
    wanted = _letters(given)
    allowed = min(3, 0 if len(wanted) < 4 else max(1, len(wanted) // 5))
    return nearest(wanted, {each: _letters(each) for each in CATEGORIES}, allowed)


def _letters(text: str) -> str:
    text = re.sub(r"&amp;|\band\b", "", unicodedata.normalize("NFKC", text).lower(), flags=re.ASCII)
    return "".join(each for each in text if unicodedata.category(each)[0] in "LN")


def nearest(given: str, named: Dict[str, str], edits_max: int) -> Optional[str]:
    """Returns the name whose text is the fewest edits away, or None if all are more than `edits_max` away."""
    edits, name = min(((_edit_distance(given, text), name) for name, text in named.items()), key=lambda each: each[0])
    return name if edits <= edits_max else None


def _edit_distance(one: str, other: str) -> int:
    """Returns the number of characters to add, leave out, change, or swap with their neighbour."""
    before: List[int] = []
    above = list(range(len(other) + 1))
    for row in range(1, len(one) + 1):
        current = [row]
        for at in range(1, len(other) + 1):
            edits = [above[at] + 1, current[at - 1] + 1, above[at - 1] + (one[row - 1] != other[at - 1])]
            if row > 1 and at > 1 and one[row - 1] == other[at - 2] and one[row - 2] == other[at - 1]:
                edits.append(before[at - 2] + 1)
            current.append(min(edits))
        before, above = above, current
    return above[-1]


def _in_category(submission: Submission, category: str) -> Submission:
    if submission.category == category:
        return submission
    finished = "was published" if submission.state == "accepted" else "has an unfinished submission"
    error = usage_error(
        "other_category", f'This destination {finished} under the category "{submission.category}".',
        "Ask for its status to get its receipt; a destination is listed only once.", "category",
    )
    error.keep_credentials = True
    raise error


def _approval_required(error: str) -> PlacardError:
    advice = "Ask the customer first; set user_approved (--user-approved) only after an explicit yes."
    return usage_error("approval_required", error, advice, "userApproved")


def check_statement(statement: Any) -> None:
    is_right = isinstance(statement, str) and len(statement) <= STATEMENT_MAX_LENGTH and plain(statement).strip() != ""
    if not is_right or "#owner=" in statement.lower():
        raise _invalid_statement()


def _invalid_statement() -> PlacardError:
    most = STATEMENT_MAX_LENGTH
    error = f"The statement must have 1 to {most} characters, and must not contain a secret or private link."
    advice = "Nothing was sent. Say in the customer’s words why the decision is wrong."
    return usage_error("invalid_statement", error, advice, "statement")


def check_contestable(decision: Dict[str, Any]) -> None:
    if decision["contest"]["isPossible"] or decision.get("appeal"):
        return
    error = "This decision cannot be appealed, or the time to appeal is over."
    raise PlacardError("refused", "not_contestable", error, f"The service says: {shown(decision['contest']['how'])}")


def check_not_appealed(decision: Dict[str, Any], statement: str, kept: Optional[Dict[str, Any]]) -> None:
    """Raises `already_appealed` if the service has another statement, so that no customer is asked about one in vain."""
    sent = decision.get("appeal")
    # The service made one plain line of the statement. The journal has it as it was given.
    if not sent or statement in (sent.get("statement"), (kept or {}).get("statement")):
        return
    error = "This decision was already appealed, and can be appealed only once."
    advice = "Nothing was sent. Read the decision: it says what the statement was, and what came of it."
    raise PlacardError("refused", "already_appealed", error, advice)


def _publish_advice(error: PlacardError, state: str, journal: str) -> str:
    kept = f"The key, secret and body are saved in {journal}."
    if error.kind != "refused":
        return f"Repeat the same publish {when_to_repeat(error)}. {kept}"
    if error.code == "submissions_closed":
        return f"If submissions open again, repeat the same publish. {kept}"
    if state != "refused":
        is_wrong_address = error.code in ("redirected", "not_found")
        return f"{error.what_next if is_wrong_address else 'Fix that, then repeat the same publish.'} {kept}"
    return _refusal_advice(error) or "This submission is over; the next publish begins a new one."


def _refusal_advice(error: PlacardError) -> Optional[str]:
    """Returns what to do after a refusal of the listing itself, which is also a refusal to ask the customer."""
    if error.code == "review_rejected":
        which = error.decision_id
        appeal = f" If the decision is wrong, the customer can appeal it once: see decision and appeal, for {which}."
        return f"Change the page, then publish again: that begins a new submission.{appeal if which else ''}"
    if error.code == "destination_already_listed":
        return "If you published it from another machine, ask for its status there, or use that machine’s journal."
    return "If submissions open again, publish again." if error.code == "submissions_closed" else None


# The command

EXIT_CODES = {"refused": 1, "usage": 2, "postponed": 3, "unknown": 3}
WEEK_SECONDS = 7 * 24 * 60 * 60
# The most edits between a misspelt option or command and the suggested one. At most one for every three letters.
EDITS_MAX = 2

# Words of the help are those of the client for Node: a test compares them.
# Name: its value, if it has one, and its help.
OPTIONS = {
    "service": ("URL", "the site's address (or PLACARD_SERVICE); https, except on loopback"),
    "journal": ("FILE", "file with all submissions (or PLACARD_JOURNAL); see below"),
    "category": ("C", 'an English category ID, such as "Developer Tools"'),
    "board": ("B", "all or today"),
    "target": ("USD", "your total on the board after paying, in whole US dollars"),
    "wait": ("SECONDS", "stop retrying after this time (120)"),
    "statement": ("TEXT", "why the decision is wrong; - reads it from standard input"),
    "user-approved": (None, "the customer said yes: do not ask again; saved in the journal"),
    "ask-as": ("NAME", "ask the customer in a browser, under this name of yours"),
    "approved-by": ("NAME", "who said yes; saved in the journal"),
    "dry-run": (None, "only check: publish nothing"),
    "show-secret-link": (None, "print the private link even if the output is not a terminal"),
    "json": (None, "output for programs; an error is one JSON line on stderr"),
    "help": (None, "this help"),
    "version": (None, "print the version"),
}
FLAGS = [name for name, (value, _) in OPTIONS.items() if value is None]
EVERYWHERE = ("json", "help", "version")
# Name: words, options, summary, details, example.
COMMANDS = {
    "capabilities": (
        "", "service",
        "list categories and limits, and whether submissions are open", """
Shows whether free submissions are open, the daily limits, and every category.""",
        "placard-agent capabilities",
    ),
    "check": (
        "DESTINATION", "category service",
        "preview the reply to a publish, without publishing", """
The service reads and reviews the page as for a publish, but it lists and
reserves nothing and uses up no submission. No approval is needed.
`publish --dry-run` does the same. The exit code is 1 if it would be refused.""",
        'placard-agent check https://shop.example --category "Developer Tools"',
    ),
    "quote": (
        "DESTINATION", "category board target service",
        "show the price of a place on a board, and the link to confirm it", """
Charges and reserves nothing: a person must open the link in a browser and
confirm there. --target is the total on the board, not the increment.""",
        "placard-agent quote https://shop.example --category Games --board all --target 25",
    ),
    "publish": (
        "DESTINATION", "category user-approved ask-as approved-by dry-run service journal wait",
        "publish one free listing, after the customer’s yes", """
Shows what will be public, and asks. Only the customer may say yes. A request
for launch ideas is not a yes. --user-approved skips the question, for an
agent whose customer already said yes. The yes is recorded in the journal.
--ask-as prints the address of a page for the customer, and waits until they
have answered there. It needs no terminal.

Key, secret and body are saved in the journal before they are sent. After any
failure, run the same command again, or `placard-agent resume`: it sends the
same submission until the service accepts or finally refuses it. Afterwards,
the same command returns the receipt again. The private link that manages the
listing stays in the journal: `placard-agent link` shows it to a person.""",
        'placard-agent publish https://shop.example --category "Developer Tools"',
    ),
    "status": (
        "[DESTINATION]", "service journal wait",
        "show a submission and its listing now", """
Asks the service by repeating the submission from the journal, so it needs no
category and no secret. A host name is enough. If the journal has only one
submission, you can leave it out. The state of a postponed or refused submission
comes from the journal.""",
        "placard-agent status shop.example",
    ),
    "link": (
        "[DESTINATION]", "show-secret-link service journal wait",
        "show the private link of a listing, for the customer only", """
Anyone with this link can manage the listing. It is printed only at a
terminal, where a person reads it; --show-secret-link prints it anywhere. If
the service cannot be reached, the link comes from the journal.""",
        "placard-agent link shop.example",
    ),
    "list": (
        "", "service journal",
        "list every submission in the journal with its state", """
Contacts no service: it shows the last known state. With --service, it
shows only the submissions to that site.""",
        "placard-agent list",
    ),
    "resume": (
        "", "service journal wait",
        "send every unfinished submission again", """
Sends what a crash, a lost answer or a limit left unfinished, with its own
keys. Nothing new is published: each submission was approved when it was made.
The exit code is that of the worst outcome.""",
        "placard-agent resume",
    ),
    "decision": (
        "[DESTINATION|ID]", "service journal wait",
        "show why a website was refused or taken down", """
Shows the statement of reasons of a decision, by its id or by the website: why
its listing is up or down, or why it was last refused. The journal must
contain the submission. After an appeal, it shows the outcome. If a refusal is
reversed, `placard-agent publish` sends the same submission again.""",
        "placard-agent decision shop.example",
    ),
    "appeal": (
        "[DESTINATION|ID]", "statement user-approved approved-by service journal wait",
        "appeal a decision once, after the customer’s yes", """
The statement says in the customer’s words, in at most 1,000 characters, why
the decision is wrong. A person reads it and decides. It is shown first, and
only the customer may say yes. --user-approved skips the question, for an
agent whose customer said yes to exactly this statement. It is recorded in the
journal.

The statement is saved in the journal before it is sent. After any failure,
run the same command again, with or without --statement: the appeal counts
once. With `--statement -`, the statement is read from a pipe, and the command
cannot ask for a yes.""",
        'placard-agent appeal shop.example --statement "The shop is ours, and open."',
    ),
}
ONLY_IN_NODE = ("watch", "proof", "verify", "mcp", "approve", "export", "import", "completion")
ENDING = """\
The journal is $PLACARD_JOURNAL, or placard/journal.jsonl in $XDG_STATE_HOME or
~/.local/state. It holds secrets: without it, a receipt cannot be recovered.

Exit codes
  0  done
  1  refused by the service. Of check: a publish would be refused
  2  wrong usage, no approval, or an unusable journal: nothing was sent
  3  unknown or temporary: run the same command later; the credentials are saved"""


def program() -> str:
    """Returns how this program was started, for commands that can be run as they stand."""
    started = sys.argv[0] if sys.argv and sys.argv[0] else "placard-agent"
    return f"python3 {shell_word(started)}" if started.endswith(".py") else "placard-agent"


def wrong_usage(error: str) -> PlacardError:
    return usage_error("usage", error, "Run the command with --help.")


def read_arguments(argv: List[str]) -> Tuple[List[str], Dict[str, Any]]:
    """Returns the words and the options of a command line, by the rules and with the errors of the client for Node."""
    words: List[str] = []
    values: Dict[str, Any] = {name: False if name in FLAGS else None for name in OPTIONS}
    rest = list(argv)
    while rest:
        each = rest.pop(0)
        if each == "--":
            return words + rest, values
        if not each.startswith("-") or each == "-":
            words.append(each)
            continue
        option, has_value, value = each.partition("=")
        name = "help" if option == "-h" else option[2:] if option.startswith("--") else ""
        if name not in OPTIONS:
            raise wrong_usage(f"There is no option {option}.{did_you_mean(option, [f'--{one}' for one in OPTIONS])}")
        if name in FLAGS:
            if has_value:
                raise wrong_usage(f"--{name} takes no value.")
            values[name] = True
            continue
        if not has_value and (not rest or rest[0].startswith("-") and rest[0] != "-"):
            how = f" Write one that begins with a dash as --{name}=VALUE." if rest else ""
            raise wrong_usage(f"--{name} needs a value.{how}")
        if values[name] is not None:
            raise wrong_usage(f"--{name} is given twice.")
        values[name] = value if has_value else rest.pop(0)
        # Otherwise, an unset variable of a shell would silently choose the usual journal.
        if name == "journal" and not values[name]:
            raise wrong_usage("--journal needs a value.")
    return words, values


def did_you_mean(given: str, names: List[str]) -> str:
    edits_max = min(EDITS_MAX, len(given.lstrip("-")) // 3)
    meant = nearest(given, dict(zip(names, names)), edits_max) if len(given) <= 30 else None
    return f" Did you mean {meant}?" if meant else ""


@dataclass
class Result:
    """What a command prints: text for people, or a value for programs. `next` is the next command, if there is one."""

    text: List[str]
    json: Any
    exit_code: int = 0
    next: Optional[str] = None


class Command:
    """One run of the command with its options."""

    def __init__(self, argv: List[str]):
        words, self.values = read_arguments(argv)
        self.wants_help = self.values["help"] or not words or words[0] == "help"
        self.name = [each for each in (words[1:] if words[:1] == ["help"] else words)[:1] if each != "help"]
        self.words = [] if self.wants_help else words[1:]
        for name in self.name:
            if name in ONLY_IN_NODE:
                npx = f"npx -y SITE/client/placard-agent.tgz {name}"
                raise wrong_usage(f"Only the client for Node has the command {name}: {npx}")
            if name not in COMMANDS:
                meant = did_you_mean(name, list(COMMANDS))
                raise wrong_usage(f'There is no command "{name}".{meant} The commands are {", ".join(COMMANDS)}.')
        if self.wants_help or self.values["version"]:
            return
        known = COMMANDS[self.name[0]]
        for option, value in self.values.items():
            if value not in (None, False) and option not in (*known[1].split(), *EVERYWHERE):
                raise wrong_usage(f"The command {self.name[0]} has no option --{option}.")
        if len(self.words) > (1 if known[0] else 0):
            raise wrong_usage(f"The command {self.name[0]} has too many arguments.")

    def run(self) -> Result:
        if self.values["version"]:
            return Result([VERSION], {"version": VERSION})
        if self.wants_help:
            text = help_text(self.name[0] if self.name else None)
            return Result(text, {"help": "\n".join(text)})
        return getattr(self, self.name[0])()

    # Each command

    def capabilities(self) -> Result:
        offer = self.client().capabilities()
        limits = offer["publishingPolicy"].get("limits", {})
        end = offer["discovery"].get("submissionEndsAt")
        is_open = f"open until {utc_text(parsed(end))}" if end else "open"
        if not offer["discovery"].get("available"):
            is_open = "closed; earlier submissions can still recover their receipt"
        return Result([
            f"Free listings    {is_open}",
            f"Shown for        {offer['discovery'].get('displayDays')} days",
            f"New submissions  {limits.get('newAttemptsPerDayPerIp')} a day per address, "
            f"{limits.get('newAttemptsPerDayPerHost')} per website, {limits.get('newAttemptsPerDayGlobal')} in total",
            f"Requests         {limits.get('requestsPerTenMinutesPerIp')} in ten minutes per address",
            "Payment          only by a person in a browser; no operation charges",
            f"Contract         {offer['version']}", "", f"Categories ({len(offer['categories'])})",
            *(
                f"  {each.get('id')}" + (f"  ({each.get('label')})" if each.get("label") != each.get("id") else "")
                for each in offer["categories"]
            ),
        ], offer, next="help check")

    def check(self) -> Result:
        destination, category = self.destination(), self.needed_category()
        answer = self.client().check(destination, category)
        reply, would = answer["publishReply"], answer["wouldPublish"]
        why = " ".join(str(reply[name]) for name in ("status", "code", "reason") if reply.get(name))
        listing, remaining = answer.get("listing"), answer["remaining"]
        outcome = "accepted." if would else f"refused: {in_typed_words(reply.get('error', why))} ({why})"
        wait, listed = reply.get("retryAfterSeconds"), answer.get("alreadyListed")
        until = utc_text((time.time() + wait) * 1000) if wait else ""
        return Result(
            [
                f"A publish of {answer['destination']} would be {outcome}",
                *([f"A publish would have to wait until {until}."] if wait else []), "",
                *([
                    f"Title        {listing['title']}", f"Description  {listing['description'] or '(none)'}",
                    f"Picture      {listing.get('imageUrl', '(one is drawn)')}", "",
                ] if listing else []),
                *([f"Already listed  {listed.get('productUrl') or listed['status']}", ""] if listed else []),
                f"Remaining until {utc_text(answer['remainingUntil'])}",
                f"  submissions  {remaining['newAttemptsPerDayPerIp']} of this address, "
                f"{remaining['newAttemptsPerDayPerHost']} of this website, {remaining['newAttemptsPerDayGlobal']} in total",
                f"  checks       {remaining['checksPerDayPerIp']} of this address, "
                f"{remaining['checksPerDayPerHost']} of this website", "", answer["notice"],
            ],
            answer, 0 if would else 1,
            f"publish {shell_word(destination)} --category {shell_word(category)}" if would else None,
        )

    def quote(self) -> Result:
        destination, category = self.destination(), self.needed_category()
        board = self.values["board"]
        if board not in BOARDS:
            raise wrong_usage(f"Name a --board: {' or '.join(BOARDS)}.")
        target = self.whole("target", "US dollars", 999_999_999)
        if target is None:
            raise wrong_usage("--target needs a whole number of US dollars.")
        price = self.client().quote(destination, category, board, target)
        due, total = (f"{cents / 100:.2f} USD" for cents in (price["chargeAmountCents"], target * 100))
        rank = [f"Estimated rank  {price['estimatedRank']} (not reserved)"] if price.get("estimatedRank") else []
        return Result([
            f'{due} would bring {destination} to {total} on the board "{board}".', "", *rank,
            f"Price holds     until {utc_text(price['expiresAt'])}; the link shows the current price", "",
            "Nothing was charged or reserved. To pay, a person must open this link in a browser and confirm:",
            price["handoffUrl"],
        ], price)

    def publish(self) -> Result:
        if self.values["dry-run"]:
            return self.check()
        destination, category = self.destination(), self.needed_category()
        client = self.client()
        _check_fields(destination, category)
        earlier = client._live(destination, category)
        if not earlier:
            _check_spelling(client.service, destination, category)
        approval = (_in_category(earlier, category).approval or {"how": "before"}) if earlier else self.approval([
            "This publishes a free listing on a public site:", "", f"  Destination  {destination}",
            f"  Category     {category}", f"  Site         {client.service} (public, for {DISPLAY_DAYS} days)",
            f"  Terms        {client.service}/rules",
        ], "publish", f'list {destination} in the category "{category}" on the public site {client.service} for '
            f"{DISPLAY_DAYS} days, by the terms at {client.service}/rules",
            lambda agent: self.ask_in_browser(client, destination, category, agent))
        publication = client.publish(destination, category, user_approved=True, approval=approval)
        step = "link" if publication.receipt["status"] == "published" else "status"
        return Result(
            self.receipt_text(publication.receipt, publication.replayed, publication.private_link),
            {**publication.receipt, **publication.to_json()}, next=f"{step} {shell_word(destination)}",
        )

    def status(self) -> Result:
        one = self.submission()
        found = self.client(one.service).status(one.destination)
        outcome = found.outcome or {}
        text = [f'{found.destination} in "{found.category}" at {found.service}', ""]
        if found.state == "accepted" and outcome.get("receipt"):
            text += self.receipt_text(outcome["receipt"], True, outcome.get("privateLink"))
        else:
            text.append(state_text(found))
        about = decision_text(found)
        text += ["", *about] if about else []
        word = shell_word(found.destination)
        if found.state in ("unknown", "postponed"):
            step: Optional[str] = "resume"
        elif found.state == "refused":
            step = f"check {word} --category {shell_word(found.category)}"
        elif outcome.get("decisionId"):
            step = f"decision {word}"
        else:
            step = f"link {word}" if (outcome.get("receipt") or {}).get("status") == "published" else None
        return Result(text, status_json(found), next=step)

    def link(self) -> Result:
        one = self.submission()
        if not (sys.stdout.isatty() or self.values["show-secret-link"]):
            advice = (
                "Let the customer run this in a terminal. If no model and no log can read the output, add "
                "--show-secret-link."
            )
            what = "The private link was not printed, because the output is not a terminal."
            raise usage_error("not_a_terminal", what, advice)
        try:
            found = self.client(one.service).status(one.destination)
        except PlacardError as error:
            # The journal has it, too.
            if error.kind == "usage" or not (one.outcome or {}).get("privateLink"):
                raise
            found = one
        outcome = found.outcome or {}
        is_up = (outcome.get("receipt") or {}).get("status") == "published"
        if not is_up or not outcome.get("privateLink"):
            state = (outcome.get("receipt") or {}).get("status") or found.state
            what = f"There is no private link of {one.destination} now: it is {state}."
            advice = "Only a published listing has one. For its state, run placard-agent status."
            raise usage_error("no_link", what, advice)
        link = outcome["privateLink"]
        return Result(
            [f"Private link of {one.destination}. Anyone with it can manage the listing:", link],
            {"destination": one.destination, "service": one.service, "privateLink": link},
        )

    def list(self) -> Result:
        journal, given = self.journal(), self.values["service"]
        service = service_address(given) if given else None
        found = [one for one in current_of_each(read_submissions(journal)) if service in (None, one.service)]
        text: List[str] = []
        for one in found:
            text += [f"{one.destination}  ({one.category}, {one.service})", f"  {state_text(one)}"]
            text += [f"  {line}" for line in decision_text(one)]
        is_unfinished = any(one.state in ("unknown", "postponed") for one in found)
        step = "resume" if is_unfinished else None if found else "capabilities"
        nothing = [f"The journal {journal.name} holds no submission."]
        return Result(text or nothing, [status_json(one) for one in found], next=step)

    def resume(self) -> Result:
        given = self.values["service"]
        found = read_submissions(self.journal())
        services = [service_address(given)] if given else list(dict.fromkeys(one.service for one in found))
        text, values, codes, is_waiting = [], [], [0], False
        for one, result in (each for service in services for each in self.client(service).resume()):
            about = {"destination": one.destination, "category": one.category}
            if isinstance(result, PlacardError):
                text.append(f"{one.destination}: {failure_text(result)}")
                values.append({**about, "error": result.to_json()})
                codes.append(EXIT_CODES[result.kind])
                is_waiting = is_waiting or result.kind != "refused"
            else:
                text.append(f"{one.destination}: {result.receipt['status']}. {result.receipt['productUrl']}")
                values.append({**about, **result.to_json()})
        return Result(
            text or ["There are no unfinished submissions."], values, max(codes), "resume" if is_waiting else None
        )

    def decision(self) -> Result:
        client, which = self.about_decision()
        found = client.decision(which)
        appeal, ground = found.get("appeal") or {}, found["ground"]
        outcome = appeal.get("outcome") or {}
        facts = {name: each for name, each in (found.get("facts") or {}).items() if name != "explanation"}
        explanation = (found.get("facts") or {}).get("explanation")
        by, product_url, scope = found.get("decidedBy", ""), found["about"].get("productUrl"), found.get("scope", {})
        lines = [
            found["decision"], "", f"Decision     {found['id']}",
            f"Taken        {utc_text(found['decidedAt'])}, {DECIDED_BY.get(by, by)}",
            *([f"About        {found['about']['website']}"] if found["about"].get("website") else []),
            *([f"Public page  {product_url}"] if product_url else []),
            f"Reason       {found['reason']}",
            *([f"Why          {explanation}"] if isinstance(explanation, str) else []),
            f"{'Law ' if ground.get('kind') == 'law' else 'Rule'}         {ground.get('text')} "
            f"({ground.get('id')}, version {ground.get('version')}: {ground.get('url')})",
            f"Reach        {scope.get('territory')} {scope.get('duration')}",
            *([f"Appeal       {utc_text(appeal['receivedAt'])}{_quoted(appeal.get('statement'))}"] if appeal else []),
            *([f"Its outcome  {outcome.get('result')}{_quoted(outcome.get('explanation'))}"] if outcome else []),
            *(["", "It is based on"] if facts else []),
            *([f"  {line}" for line in json.dumps(facts, indent=2, ensure_ascii=False).split("\n")] if facts else []),
            "", in_typed_words(found["contest"]["how"]),
        ]
        is_reversed = found["kind"] == "refuse" and outcome.get("result") == "reversed"
        step = f'appeal {found["id"]} --statement "WHY IT IS WRONG"' if found["contest"]["isPossible"] else None
        return Result(lines, found, next=step or ("resume" if is_reversed else None))

    def appeal(self) -> Result:
        given = self.values["statement"]
        if given == "-":
            if sys.stdin.isatty():
                raise wrong_usage("At a terminal, type the statement after --statement.")
            given = sys.stdin.read(10_000).strip()
        if given is not None:
            check_statement(given)
        client, which = self.about_decision()
        found = client.decision(which)
        check_contestable(found)
        kept = next((one.appeals[found["id"]] for one in client.submissions() if found["id"] in one.appeals), None)
        kept = None if kept and kept["state"] == "refused" else kept
        statement = given if given is not None else (kept or {}).get("statement")
        if statement is None:
            raise wrong_usage("Add --statement: why the decision is wrong.")
        check_not_appealed(found, statement, kept)
        approval = kept["approval"] if kept and kept["statement"] == statement else self.approval([
            "This appeals a decision, once, in your own words:", "",
            f"  Decision   {found['id']} about {found['about'].get('website')}",
            f"  Site       {client.service} (the people who run it read your statement)", f"  Statement  {statement}",
        ], "send it", f"appeal once, with the statement “{plain(statement)}”, the decision {found['id']} about "
            f"{found['about'].get('website')} at {client.service}")
        sent = client.appeal(statement, found["id"], user_approved=True, approval=approval)
        return Result(["The appeal is sent.", "", in_typed_words(sent["contest"]["how"])], sent, next=f"decision {found['id']}")

    # What commands share

    def client(self, service: Optional[str] = None) -> PlacardClient:
        address = service or self.service()
        if not address:
            raise wrong_usage("No service given. Use --service URL, or set PLACARD_SERVICE.")
        wait = self.whole("wait", "seconds, a week at most", WEEK_SECONDS)
        return PlacardClient(
            address, self.journal(), wait_budget=120 if wait is None else wait,
            on_retry=None if self.values["json"] else tell_retry,
        )

    def service(self) -> Optional[str]:
        return self.values["service"] or os.environ.get("PLACARD_SERVICE")

    def journal(self) -> Journal:
        return Journal(self.values["journal"])

    def destination(self) -> str:
        if not self.words:
            raise wrong_usage("Name the destination, such as https://shop.example.")
        return self.words[0]

    def needed_category(self) -> str:
        if self.values["category"] is None:
            raise wrong_usage("Name a --category. To list them, run placard-agent capabilities.")
        return self.values["category"]

    def whole(self, name: str, unit: str, most: int) -> Optional[int]:
        text = self.values[name]
        if text is not None and not (re.fullmatch(r"[0-9]{1,9}", text) and int(text) <= most):
            raise wrong_usage(f"--{name} needs a whole number of {unit}.")
        return None if text is None else int(text)

    def submission(self, choose: Callable[..., Submission] = meant) -> Submission:
        """Returns the submission that the words name, at the service of --service or at any."""
        journal, given = self.journal(), self.values["service"]
        service = service_address(given) if given else None
        found = [one for one in read_submissions(journal) if service in (None, one.service)]
        return choose(found, self.words[0] if self.words else None, journal.name)

    def about_decision(self) -> Tuple[PlacardClient, str]:
        word = self.words[0] if self.words else None
        if word is None or not UUID_PATTERN.fullmatch(word):
            one = self.submission(meant_by_decision)
            return self.client(one.service), one.destination
        found = read_submissions(self.journal())
        services = {one.service for one in found if is_about(one, word.lower())} or {one.service for one in found}
        return self.client(services.pop() if len(services) == 1 and not self.values["service"] else None), word

    def approval(
        self, lines: List[str], act: str, about: str, ask_in_browser: Optional[Callable[[str], Dict[str, str]]] = None
    ) -> Dict[str, str]:
        """Returns the customer's approval: from --user-approved, by --ask-as, or by asking at the terminal."""
        by = {"by": self.values["approved-by"]} if self.values["approved-by"] else {}
        if self.values["user-approved"]:
            return {"how": "--user-approved", **by}
        if ask_in_browser and self.values["ask-as"]:
            return {**ask_in_browser(self.values["ask-as"]), **by}
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise usage_error(
                "approval_required",
                f"This needs the customer’s approval, and there is no terminal to ask at: {plain(about)}.",
                "Ask the customer first, with exactly these facts. Add --user-approved only after an explicit yes, or "
                "let the customer run the command in a terminal."
                + (" With --ask-as NAME, publish asks them in a browser, under that name of yours." if ask_in_browser else ""),
                "userApproved",
            )
        _tell("\n".join(map(plain, lines)) + f"\n\nOnly the customer may say yes. Type yes to {act}: ")
        line = sys.stdin.readline()
        if not line:
            # Ctrl-D leaves the cursor behind the question.
            _tell("\n")
        if line.strip().lower() not in ("y", "yes"):
            nothing = "Nothing was published." if ask_in_browser else "No appeal was sent."
            raise usage_error("declined", nothing, "Run the same command again once the customer agrees.")
        return {"how": "asked in the terminal", **by}

    def ask_in_browser(self, client: PlacardClient, destination: str, category: str, agent: str) -> Dict[str, str]:
        """Prints the address where the customer answers, and waits for the answer as long as it can be given."""
        asked = client.ask_approval(destination, category, agent)
        _tell(f"Give this address to the customer, who approves or declines there:\n{plain(asked['approvalUrl'])}\n")
        code = asked["code"]
        status = answer_of(client, code)
        if status == "approved":
            return {"how": "approved in a browser", "code": code}
        is_no = status == "declined"
        raise usage_error(
            "declined" if is_no else "approval_required",
            "The customer declined. Nothing was published." if is_no else "The customer did not answer in time.",
            "Run the same command again only if the customer wants it.",
        )

    def receipt_text(self, receipt: Dict[str, Any], replayed: bool, private_link: Optional[str]) -> List[str]:
        expires, is_up = receipt["expiresAt"], receipt["status"] == "published"
        support = receipt["ownership"].get("supportUrl")
        published = "Published earlier." if replayed else "Published."
        first = published if is_up else f"The listing is {receipt['status']}."
        return [
            first, "", f"Public page   {receipt['productUrl']}",
            f"Shown until   {'no scheduled end' if expires is None else utc_text(expires)}",
            f"Request       {receipt['requestId']}",
            *([f"Support       {support}"] if support else []),
            *([f"Private link  not shown here; stored in {self.journal().name}"] if private_link else []),
            "", in_typed_words(receipt["notice"]),
        ]


def state_text(one: Submission) -> str:
    """Returns the last known state of a submission as a sentence."""
    outcome = one.outcome or {}
    why, receipt = f": {outcome['code']}" if outcome.get("code") else "", outcome.get("receipt")
    heard = f" ({utc_text(parsed(outcome['at']))})" if outcome.get("at") else ""
    if one.state == "accepted":
        return f"{receipt['status']}: {receipt['productUrl']}{heard}" if receipt else f"accepted{heard}"
    if one.state == "refused":
        return f"refused{why}{heard}"
    if outcome.get("reopened"):
        return "an appeal reversed its refusal: publish it again to send the same submission"
    if one.state == "postponed":
        return f"not accepted so far{why}{heard}"
    if outcome.get("code"):
        return f"unfinished{why}{heard}; it may have been accepted"
    return f"unfinished: sent, or about to be, at {utc_text(parsed(one.at))}; its answer is not known"


def decision_text(one: Submission) -> List[str]:
    """Returns what can be done about the decision that a refusal or a hidden listing names, if it names one."""
    outcome = one.outcome or {}
    which = outcome.get("decisionId")
    if not which or outcome.get("reopened"):
        return []
    word, state = shell_word(one.destination), one.appeals.get(which, {}).get("state")
    why, appeal = f"  reasons  {program()} decision {word}", f"  appeal   {program()} appeal {word}"
    if state == "received":
        return [f"Decision {which}, appealed", why]
    if state == "unknown":
        return [f"Decision {which}, appeal started but not confirmed", why, appeal]
    # The owner may have withdrawn the listing, which cannot be appealed. `decision` knows, and names the appeal otherwise.
    if one.state == "accepted":
        return [f"Decision {which}", why]
    return [f"Decision {which}", why, f'{appeal} --statement "WHY IT IS WRONG"']


def _quoted(text: Optional[str]) -> str:
    return "" if text is None else f": {text}"


def status_json(one: Submission) -> Dict[str, Any]:
    outcome = one.outcome or {}
    appeal = one.appeals.get(outcome.get("decisionId", ""))
    values = {
        "service": one.service, "destination": one.destination, "category": one.category, "state": one.state,
        "approvedAt": one.at, "approval": one.approval, "answeredAt": outcome.get("at"), "code": outcome.get("code"),
        "decisionId": outcome.get("decisionId"), "appeal": appeal, "reopened": outcome.get("reopened"),
        "receipt": outcome.get("receipt"), "privateLink": "[private link]" if outcome.get("privateLink") else None,
    }
    return {name: value for name, value in values.items() if value is not None}


def failure_text(error: PlacardError) -> str:
    field = error.field or ""
    option = OPTION_OF.get(field, field)
    words = option + error.error[len(field):] if option and error.error.startswith(f"{field} ") else error.error
    details = " ".join(str(each) for each in (error.status, error.code, option, error.reason) if each)
    return f"{in_typed_words(words)} ({details})"


# The options that set a field of the API, if their names differ.
OPTION_OF = {"agent": "--ask-as", "targetBid": "--target", "userApproved": "--user-approved"}


def in_typed_words(text: str) -> str:
    """Returns a text of the service in the words of the command line. How long to wait is always said after it."""
    start = text.find(" Wait retryAfterSeconds")
    if start >= 0:
        end = text.find(". ", start)
        text = text[:start] + ("" if end < 0 else text[end + 1:])
    for api, typed in (
        ("Read them from GET /api/v1/agent/capabilities.", f"To list them, run {program()} capabilities."),
        ("with POST /api/v1/agent/approvals", "with --ask-as"),
        ("by the API (appealUrl)", f"with {program()} appeal"),
        ("Share productUrl only.", "Share the public page only."),
        ("Give privateRecoveryUrl to", "Give the private link to"),
    ):
        text = text.replace(api, typed, 1)
    return text


# The shortest time between two questions. The site answers at once if too many wait, or a proxy dropped the header.
PAUSE_SECONDS = 2


def answer_of(client: PlacardClient, code: str) -> str:
    """Waits for the customer's answer, also through limits and failures: the customer still has the address."""
    started = time.monotonic()
    while True:
        asked, wait = time.monotonic(), float(PAUSE_SECONDS)
        try:
            status: str = client.approval(code)["status"]
            if status != "waiting":
                return status
        except PlacardError as error:
            wait = max(wait, error.retry_after_seconds or 0)
            is_over = time.monotonic() - started + wait > APPROVAL_LIFETIME_SECONDS
            if error.kind not in ("postponed", "unknown") or is_over:
                raise
        time.sleep(max(0, wait - (time.monotonic() - asked)))


def tell_retry(error: PlacardError, wait: float, left: float) -> None:
    _tell(
        f"placard-agent: {plain(failure_text(error))}\n"
        f"Retrying in {math.ceil(wait)} s; giving up {math.ceil(left)} s after that.\n"
    )


def help_text(name: Optional[str]) -> List[str]:
    if name is None:
        commands = {f"{each} {one[0]}".rstrip(): one[2] for each, one in COMMANDS.items()}
        commands["help [COMMAND]"] = "show this help, or the help of one command"
        return [
            "placard-agent: list a website on a Placard site, and get its receipt again", "",
            *(f"  {usage:<27} {summary}" for usage, summary in commands.items()), "",
            "Most commands", *_option_lines(["service", "journal"]), "", "Every command", *_option_lines(EVERYWHERE), "",
            *ENDING.split("\n"),
        ]
    words, own, summary, details, example = COMMANDS[name]
    options = [*own.split(), *(each for each in EVERYWHERE if each != "version")]
    return [
        f"placard-agent {f'{name} {words}'.rstrip()}: {summary}", *details.split("\n"), "",
        "Options", *_option_lines(options), "", "Example", f"  {example}", "", *ENDING.split("\n"),
    ]


def _option_lines(names: Sequence[str]) -> List[str]:
    described = {f"--{name} {OPTIONS[name][0] or ''}".rstrip(): OPTIONS[name][1] for name in names}
    return [f"  {option:<22} {help_}" for option, help_ in described.items()]


LIST_SHOWS = (
    "review_rejected", "destination_already_listed", "unknown_submission", "which_submission", "no_decision", "no_link",
)
A_PERSON_MUST_ACT = ("approval_required", "declined", "not_a_terminal", "journal_damaged")


def _corrected(argv: List[str], wrong: Optional[str], right: str) -> str:
    words = {wrong: right, f"--category={wrong}": f"--category={right}"}
    return " ".join(shell_word(words.get(each, each)) for each in argv)


def next_command(error: PlacardError, argv: List[str], command: Optional[Command]) -> Optional[str]:
    """Returns the command to run after an error, or None while a person must act first."""
    if error.is_temporary:
        return " ".join(map(shell_word, argv))
    name = next((each for each in argv if each in COMMANDS), None)
    words, category = (command.words, command.values["category"]) if command else ([], None)
    destination = "".join(f" {shell_word(each)}" for each in words)
    meant = suggested_category(category) if error.code == "unknown_category" else None
    if meant and meant != category:
        return _corrected(argv, category, meant)
    if error.code in ("unknown_category", "submissions_closed"):
        return "capabilities"
    address = re.search(r"Did you mean (https:\S+)\?", str(error)) if error.code == "invalid_destination" else None
    if address and words:
        return _corrected(argv, words[0], address[1])
    if error.code == "review_rejected" and category:
        return f"check{destination} --category {shell_word(category)}"
    if error.code == "other_category":
        return f"status{destination}"
    if error.code in ("already_appealed", "not_contestable"):
        return f"decision{destination}"
    if error.code == "redirected" or error.code == "not_found" and name not in ("decision", "appeal"):
        return None
    if error.code in LIST_SHOWS or error.code == "not_found":
        return "list"
    if error.code in A_PERSON_MUST_ACT:
        return None
    return f"help {name}" if name else "help"


def main(argv: Optional[List[str]] = None) -> int:
    """Runs `placard-agent` and returns the exit code."""
    given = sys.argv[1:] if argv is None else argv
    is_json = "--json" in given
    # Absent if it was closed before the start.
    sys.stdin, sys.stderr = sys.stdin or io.StringIO(), sys.stderr or io.StringIO()
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors=errors)
    command: Optional[Command] = None
    values: Dict[str, Any] = {}
    try:
        command = Command(given)
        values = command.values
        result = command.run()
        text = "".join(f"{plain(line)}\n" for line in result.text)
        if not _written(f"{json.dumps(result.json)}\n" if is_json else text):
            return result.exit_code or EXIT_CODES["unknown"]
        if result.next and not is_json:
            _tell(f"Next: {plain(in_place(result.next, values))}\n")
        return result.exit_code
    except KeyboardInterrupt:
        return 130
    except PlacardError as error:
        step = next_command(error, given, command)
        # What is repeated has its options already.
        full = f"{program()} {step}" if error.is_temporary else step and in_place(step, values)
        if is_json:
            _tell(f"{json.dumps({**error.to_json(), **({'next': full} if full else {})})}\n")
        else:
            _tell(f"placard-agent: {plain(failure_text(error))}\n{plain(error.what_next)}\n")
            _tell(f"Next: {plain(full)}\n" if full else "")
        return EXIT_CODES[error.kind]


def _tell(text: str) -> None:
    """Writes to stderr. If nothing can be written there, the command ends as it would have otherwise."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass


def _written(text: str) -> bool:
    """Writes the output. Returns whether it arrived, or whoever reads it wanted no more."""
    try:
        # None if it was closed before the start.
        if sys.stdout:
            sys.stdout.write(text)
            sys.stdout.flush()
        return True
    except OSError as error:
        # Python would write the rest again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return True
        _tell(f"placard-agent: The output could not be written: {error.strerror}. Run the same command again.\n")
        return False


def in_place(step: str, values: Dict[str, Any]) -> str:
    """Returns a command as it can be run here, with the site and the journal that this one was given."""
    options = COMMANDS[step.split(" ")[0]][1].split() if step.split(" ")[0] in COMMANDS else []
    names = [name for name in ("service", "journal") if name in options and values.get(name) and f" --{name}" not in step]
    given = [f"--{name} {shell_word(values[name])}" for name in names]
    return " ".join([program(), step, *given])


if __name__ == "__main__":
    sys.exit(main())
