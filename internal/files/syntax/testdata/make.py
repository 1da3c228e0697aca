# Writes crawl.warc.gz with warcio 1.8.1, a member of gzip for each record:
#
#	python3 make.py
import gzip, io
from warcio.warcwriter import WARCWriter
from warcio.statusandheaders import StatusAndHeaders

with open("crawl.warc.gz", "wb") as out:
    w = WARCWriter(out, gzip=True)
    w.write_record(w.create_warcinfo_record("crawl.warc.gz", {"software": "make.py"}))

    def response(url, body, *headers, status="200 OK"):
        http = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        date = {"WARC-Date": "2026-11-22T00:00:00Z"}
        w.write_record(w.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=http, warc_headers_dict=date))

    html = ("Content-Type", "text/html; charset=utf-8")
    response("http://a.test/1", b"<title>One</title><p>first page", html)
    response("http://a.test/2", gzip.compress(b"<p>second page", mtime=0), html, ("Content-Encoding", "gzip"))
    response("http://a.test/3", b"6\r\n<p>thi\r\n8\r\nrd page\n\r\n0\r\n\r\n", html, ("Transfer-Encoding", "chunked"))
    response("http://a.test/4", b"\x89PNG\0\0", ("Content-Type", "image/png"))
    response("http://a.test/5", b"<p>not found", html, status="404 Not Found")
    response("http://a.test/1", b"<p>first page, later", html)
    w.write_record(w.create_warc_record("http://a.test/6", "conversion", payload=io.BytesIO("a text é\n".encode()), warc_content_type="text/plain"))
