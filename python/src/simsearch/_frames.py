"""The kinds of data that have rows. No library is imported: whoever has such data has imported it. What speaks Arrow's stream protocol is
read by pyarrow."""

import importlib
import itertools
import sys
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence

Columns = Dict[str, List[Any]]
_ROWS = 10_000  # of a piece


class Rows:
    """Data of some kind. This one is a list or a tuple, of texts or of dicts."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data)

    def names(self) -> List[str]:
        """Return the names of the columns; none if the data are texts alone."""
        first = next((row for row in self.data if row is not None), None)
        return list(first) if isinstance(first, dict) else []

    def column(self, name: str) -> Iterable[Any]:
        """Return the values of a column; "" is data that are texts alone."""
        return [row.get(name) for row in self.data] if name else self.data

    def pieces(self, name: str) -> Iterator[Any]:
        """Yield the values of a column in lists, or in Arrow arrays if it is made of such, so that not all of it is copied at once."""
        values = iter(self.column(name))
        while True:
            piece = list(itertools.islice(values, _ROWS))
            if not piece:
                return
            yield piece

    def take(self, kept: List[bool]) -> Any:
        """Return the rows that are kept, as data of the same kind."""
        return type(self.data)(row for row, is_kept in zip(self.data, kept) if is_kept)

    def annotate(self, columns: Columns) -> Any:
        """Return all rows, with more columns."""
        named = bool(self.names())
        rows = zip(self.data, *columns.values())
        return [{**(row if named else {"text": row}), **dict(zip(columns, values))} for row, *values in rows]


class _Numpy(Rows):
    def names(self) -> List[str]:
        if self.data.ndim != 1:
            raise TypeError(f"an array of {self.data.ndim} dimensions: want one of texts")
        return []

    def column(self, name: str) -> Iterable[Any]:
        return self.data.tolist()  # type: ignore[no-any-return]

    def take(self, kept: List[bool]) -> Any:
        return self.data[kept] if kept else self.data

    def annotate(self, columns: Columns) -> Any:
        return Rows(self.data.tolist()).annotate(columns)


class _Pandas(Rows):
    def names(self) -> List[str]:
        return list(self.data.columns)

    def column(self, name: str) -> Iterable[Any]:
        return self._series(name).tolist()  # type: ignore[no-any-return]

    def pieces(self, name: str) -> Iterator[Any]:
        values = self._series(name).array
        if type(values).__name__ not in ("ArrowStringArray", "ArrowStringArrayNumpySemantics", "ArrowExtensionArray"):
            return super().pieces(name)
        return _array_pieces(sys.modules["pyarrow"].array(values))  # it is of pyarrow, and is not copied

    def _series(self, name: str) -> Any:
        return self.data[name]

    def take(self, kept: List[bool]) -> Any:
        return self.data.iloc[[i for i, is_kept in enumerate(kept) if is_kept]]

    def annotate(self, columns: Columns) -> Any:
        pandas = sys.modules["pandas"]
        kinds = {int: "Int64", float: "Float64", bool: "boolean", str: "string"}
        return self.data.assign(**{name: pandas.Series(values, index=self.data.index, dtype=kinds.get(_kind(values), "object"))
                                   for name, values in columns.items()})


class _PandasSeries(_Pandas):
    def names(self) -> List[str]:
        return []

    def _series(self, name: str) -> Any:
        return self.data

    def annotate(self, columns: Columns) -> Any:
        return _Pandas(self.data.to_frame(self.data.name or "text")).annotate(columns)


class _Polars(Rows):
    def names(self) -> List[str]:
        return list(self.data.columns)

    def column(self, name: str) -> Iterable[Any]:
        return _slices(self._series(name), len(self), lambda part: part.to_list())

    def pieces(self, name: str) -> Iterator[Any]:
        if "pyarrow" not in sys.modules:  # Series.to_arrow needs it
            return super().pieces(name)
        series = self._series(name)
        return (series.slice(i, _ROWS).to_arrow() for i in range(0, len(self), _ROWS))

    def _series(self, name: str) -> Any:
        return self.data[name]

    def take(self, kept: List[bool]) -> Any:
        return self.data.filter(sys.modules["polars"].Series(kept, dtype=sys.modules["polars"].Boolean))

    def annotate(self, columns: Columns) -> Any:
        polars = sys.modules["polars"]
        kinds = {int: polars.Int64, float: polars.Float64, bool: polars.Boolean, str: polars.String}
        return self.data.with_columns([polars.Series(name, values, dtype=kinds.get(_kind(values))) for name, values in columns.items()])


class _PolarsSeries(_Polars):
    def names(self) -> List[str]:
        return []

    def _series(self, name: str) -> Any:
        return self.data

    def annotate(self, columns: Columns) -> Any:
        return _Polars(self.data.to_frame(self.data.name or "text")).annotate(columns)


class _Arrow(Rows):
    def names(self) -> List[str]:
        return list(self.data.schema.names)

    def column(self, name: str) -> Iterable[Any]:
        return _slices(self._array(name), len(self), lambda part: part.to_pylist())

    def pieces(self, name: str) -> Iterator[Any]:
        return _array_pieces(self._array(name))

    def _array(self, name: str) -> Any:
        return self.data.column(name)

    def take(self, kept: List[bool]) -> Any:
        pyarrow = sys.modules["pyarrow"]
        return self.data.filter(pyarrow.array(kept, pyarrow.bool_()))

    def annotate(self, columns: Columns) -> Any:
        pyarrow, table = sys.modules["pyarrow"], self.data
        if isinstance(table, pyarrow.RecordBatch):
            table = pyarrow.Table.from_batches([table])
        kinds = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_(), str: pyarrow.string()}
        for name, values in columns.items():
            if name in table.column_names:
                table = table.drop([name])
            table = table.append_column(name, pyarrow.array(values, kinds.get(_kind(values))))
        return table


class _ArrowArray(_Arrow):
    def names(self) -> List[str]:
        return []

    def _array(self, name: str) -> Any:
        return self.data

    def annotate(self, columns: Columns) -> Any:
        return _Arrow(sys.modules["pyarrow"].table({"text": self.data})).annotate(columns)


class _Dataset(Rows):
    def names(self) -> List[str]:
        return list(self.data.column_names)

    def column(self, name: str) -> Iterable[Any]:
        for part in self.data.select_columns([name]).with_format(None).iter(1000):
            yield from part[name]

    def pieces(self, name: str) -> Iterator[Any]:
        for part in self.data.select_columns([name]).with_format("arrow").iter(_ROWS):
            yield from _array_pieces(part.column(name))

    def take(self, kept: List[bool]) -> Any:
        return self.data.select([i for i, is_kept in enumerate(kept) if is_kept])

    def annotate(self, columns: Columns) -> Any:
        data = self.data.remove_columns([name for name in columns if name in self.data.column_names])
        for name, values in columns.items():
            data = data.add_column(name, values)
        return data


_KINDS: Dict[str, Callable[[Any], Rows]] = {
    "builtins.list": Rows, "builtins.tuple": Rows, "numpy.ndarray": _Numpy, "pandas.DataFrame": _Pandas, "pandas.Series": _PandasSeries,
    "polars.DataFrame": _Polars, "polars.Series": _PolarsSeries, "pyarrow.Table": _Arrow, "pyarrow.RecordBatch": _Arrow,
    "pyarrow.Array": _ArrowArray, "pyarrow.ChunkedArray": _ArrowArray, "datasets.Dataset": _Dataset,
}


def rows(data: Any) -> Rows:
    """Return the rows of data."""
    for kind in type(data).__mro__:
        make = _KINDS.get(f"{kind.__module__.partition('.')[0]}.{kind.__name__}")
        if make is not None:
            return make(data)
    if hasattr(data, "__arrow_c_stream__"):
        try:
            pyarrow = importlib.import_module("pyarrow")
        except ImportError:
            raise TypeError(f"data of the type {type(data).__name__} are read by pyarrow, which is not installed") from None
        return _Arrow(pyarrow.table(data))
    name = type(data).__name__
    hints = {"DatasetDict": "give one of its splits", "LazyFrame": "give data.collect()", "str": "give a list of texts"}
    hint = hints.get(name, "want a list, or data of NumPy, pandas, polars, Hugging Face datasets, or of what speaks Arrow's stream protocol")
    raise TypeError(f"data of the type {name}: {hint}")


def _kind(values: Sequence[Any]) -> type:
    """Return the type of values that are not missing, or object if they have several."""
    kinds = {type(v) for v in values if v is not None}
    return kinds.pop() if len(kinds) == 1 else object


def _slices(column: Any, n: int, read: Callable[[Any], List[Any]]) -> Iterable[Any]:
    """Yield the values of a column that has slices, so that not all of them are Python objects at once."""
    for i in range(0, n, _ROWS):
        yield from read(column[i:i + _ROWS])


def _array_pieces(column: Any) -> Iterator[Any]:
    """Yield pieces of an Arrow array, or of a chunked one."""
    for chunk in getattr(column, "chunks", [column]):
        for i in range(0, len(chunk), _ROWS):
            yield chunk.slice(i, _ROWS)
