"""Rows as a stream in Arrow's IPC format, which needs no library: pyarrow writes only what it has already."""

import base64
import itertools
import struct
import sys
from array import array
from typing import Any, Iterable, Iterator, List, Optional, Tuple

# The message of the schema: id (int64), key and text (string), none of them null. It is what pyarrow writes, too.
_SCHEMA = base64.b64decode(
    "/////9AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAMAAABsAAAAMAAAAAQAAACw////AAAABRAAAAAYAA"
    "AABAAAAAAAAAAEAAAAdGV4dAAAAADc////2P///wAAAAUQAAAAGAAAAAQAAAAAAAAAAwAAAGtleQAEAAQABAAAABAAFAAIAAAABwAMAAAAEAAQ"
    "AAAAAAAAAhAAAAAcAAAABAAAAAAAAAACAAAAaWQAAAgADAAIAAcACAAAAAAAAAFAAAAA"
)
_BYTES = 4 << 20  # of the texts in a batch, unless one text alone is longer
_LONGEST = (1 << 31) - 1  # in bytes, of the texts in a batch


def stream(pieces: Iterable[Any], keys: Optional[Iterable[Any]]) -> Iterator[Tuple[int, Any]]:
    """Yield the messages of a stream of the rows, each with its number of rows. A piece is a list of texts, or an Arrow array. Rows are
    named by their numbers. keys are dates, times or numbers.
    """
    yield 0, _SCHEMA
    row, more = 0, iter(keys) if keys is not None else None
    for piece in pieces:
        named = [""] * len(piece) if more is None else [_key(key) for key in itertools.islice(more, len(piece))]
        for part, size in _parts(_texts(piece, row)):
            part_keys, named = named[:len(part)], named[len(part):]
            message = _of_list(row, part_keys, part, size) if isinstance(part, list) else _of_array(row, part_keys, part)
            yield len(part), message
            row += len(part)
    yield 0, struct.pack("<II", 0xFFFFFFFF, 0)


def _texts(piece: Any, row: int) -> Any:
    """Return a piece as an Arrow array of strings, or as a list of encoded texts."""
    if not isinstance(piece, list):
        pyarrow = sys.modules["pyarrow"]
        kind = piece.type.value_type if pyarrow.types.is_dictionary(piece.type) else piece.type
        if str(kind) in ("string", "large_string"):
            return piece if kind == piece.type else piece.cast(kind)
        piece = piece.to_pylist()
    try:
        return [text.encode() for text in piece]
    except (AttributeError, UnicodeEncodeError):
        # Half of a surrogate is no character.
        return [_text(text, i).encode("utf-8", "backslashreplace") for i, text in enumerate(piece, row)]


def _parts(texts: Any) -> Iterator[Tuple[Any, int]]:
    """Yield texts in parts of at most _BYTES each, or of one text, with their sizes."""
    size = sum(map(len, texts)) if isinstance(texts, list) else texts.nbytes
    if size > _BYTES and len(texts) > 1:
        half = len(texts) // 2
        yield from _parts(texts[:half])
        yield from _parts(texts[half:])
    elif len(texts) > 0:
        yield texts, size


def _of_array(row: int, keys: List[str], texts: Any) -> Any:
    """Return the message of a batch, written by pyarrow."""
    pyarrow = sys.modules["pyarrow"]
    if texts.null_count > 0:
        texts = texts.fill_null("")
    fields = [pyarrow.field("id", pyarrow.int64(), False), pyarrow.field("key", pyarrow.string(), False),
              pyarrow.field("text", pyarrow.string(), False)]
    ids = pyarrow.array(range(row, row + len(texts)), pyarrow.int64())
    columns = [ids, pyarrow.array(keys, pyarrow.string()), texts.cast(pyarrow.string())]
    return pyarrow.RecordBatch.from_arrays(columns, schema=pyarrow.schema(fields)).serialize()


def _of_list(row: int, keys: List[str], texts: List[bytes], size: int) -> bytes:
    """Return the message of a batch: an Arrow array has a buffer of flags of nulls, which is empty, and others for its values."""
    if size > _LONGEST:
        raise ValueError(f"row {row} has a text of {size:,} bytes: it is too long")
    n = len(texts)
    buffers = [b"", _little(array("q", range(row, row + n)))]
    for strings in ([key.encode() for key in keys], texts):
        ends = array("i", itertools.accumulate(map(len, strings), initial=0))
        buffers += [b"", _little(ends), b"".join(strings)]
    body, places = [], []
    at = 0
    for buffer in buffers:
        padding = -len(buffer) % 8
        places += [at, len(buffer)]
        body += [buffer, bytes(padding)]
        at += len(buffer) + padding
    # A Message of the version V5 (Message.fbs): its table at 16, behind the table of its fields, then a RecordBatch at 56, with vectors of
    # nodes, one a column (values, nulls), and of buffers (offset, length).
    message = struct.pack("<I6H iIqhBx4x", 16, 12, 24, 16, 18, 4, 8, 12, 36, at, 4, 3)
    message += struct.pack("<5H6x iIqII", 10, 20, 8, 4, 16, 16, 16, n, 60, 3)
    message += struct.pack("<6q", n, 0, n, 0, n, 0)
    message += struct.pack(f"<II{len(places)}q", 0, len(buffers), *places)
    return b"".join([struct.pack("<II", 0xFFFFFFFF, len(message)), message, *body])


def _little(values: "array[int]") -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or isinstance(value, float) and value != value


def _text(value: Any, row: int) -> str:
    if missing(value):
        return ""
    if not isinstance(value, str):
        raise TypeError(f"row {row} has no text, but {value!r:.80} of the type {type(value).__name__}")
    return value


def _key(value: Any) -> str:
    """Return a date, a time or a number as text."""
    if missing(value):
        return ""
    return str(value.isoformat() if hasattr(value, "isoformat") else value)
