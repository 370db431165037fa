# Copies a Placard site into a SQLite file, and brings the copy up to date when it runs again. Python 3.9, no packages:
#   python3 mirror.py https://placard.example.org mirror.db
import gzip
import http.client
import json
import sqlite3
import sys
import urllib.request

if len(sys.argv) != 3:
    sys.exit("Usage: python3 mirror.py SITE FILE")
site, file = sys.argv[1].rstrip("/"), sys.argv[2]


def explain(kind, error, trace):
    if isinstance(error, sqlite3.OperationalError):
        why = "another program is using it" if str(error) == "database is locked" else error
        print(f"{file} can't be written: {why}. Run this again later.", file=sys.stderr)
    elif isinstance(error, (OSError, EOFError, http.client.HTTPException)):
        print(f"{site} can't be read: {error}. Run this again.", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


# One line is enough for what the next run can heal.
sys.excepthook = explain


def get(path):
    request = urllib.request.Request(site + path, headers={"Accept-Encoding": "gzip"})
    reply = urllib.request.urlopen(request, timeout=60)
    return gzip.GzipFile(fileobj=reply) if reply.headers["Content-Encoding"] == "gzip" else reply


def places(board):
    cursor = ""
    while cursor is not None:
        page = json.load(get(f"/api/v1/boards/{board}?limit=100" + (cursor and f"&cursor={cursor}")))
        yield from page["entries"]
        cursor = page["nextCursor"]


db = sqlite3.connect(file, isolation_level=None)
db.execute("create table if not exists listing (id integer primary key, expiresAt integer, json text not null)")
db.execute(
    "create table if not exists place (board text, rank integer, id integer, totalCents integer, reachedAt integer)"
)
db.execute("create table if not exists state (site text, updatedSince integer, license text)")
# Everything below is one transaction: if this process is killed, the copy stays as it was.
db.execute("begin immediate")
last = db.execute("select site, updatedSince from state").fetchone()
if last is None:
    db.execute("delete from listing")
head = end = None
for line in get("/api/v1/listings.ndjson" + (f"?updatedSince={last[1]}" if last else "")):
    row = json.loads(line)
    if head is None:
        head = row
        if last and last[0] != head["site"]:
            sys.exit(f"{file} is a copy of {last[0]}, not of {head['site']}. Name another file.")
    elif row.get("complete"):
        end = row
    elif row["status"] == "published":
        text = line.decode().rstrip("\n")
        db.execute("insert or replace into listing values (?, ?, ?)", (row["id"], row["expiresAt"], text))
    else:
        db.execute("delete from listing where id = ?", (row["id"],))
if end is None:
    sys.exit("The stream was cut. Run this again.")
db.execute("delete from listing where expiresAt <= ?", (head["asOf"],))
db.execute("delete from place")
db.execute("delete from state")
for board in ("all", "today"):
    for each in places(board):
        row = (board, each["rank"], each["id"], each["totalCents"], each["reachedAt"])
        db.execute("insert into place values (?, ?, ?, ?, ?)", row)
db.execute("insert into state values (?, ?, ?)", (head["site"], end["updatedSince"], head["license"]))
db.execute("commit")
