package columns

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

type ordered struct {
	Day    int32            `parquet:"day,date"`
	Millis int64            `parquet:"millis,timestamp(millisecond)"`
	Micros int64            `parquet:"micros,timestamp(microsecond)"`
	Nanos  int64            `parquet:"nanos,timestamp(nanosecond)"`
	Old    deprecated.Int96 `parquet:"old"`
	Single float32          `parquet:"single"`
	Double float64          `parquet:"double"`
	Price  int64            `parquet:"price,decimal(2:9)"`
	Small  int32            `parquet:"small,decimal(3:9)"`
	Whole  int64            `parquet:"whole"`
	Text   string           `parquet:"text"`
	Flag   bool             `parquet:"flag"`
	Key    [16]byte         `parquet:"key"`
}

// Values that are compared are written in forms that can be read.
func TestOrderedColumns(t *testing.T) {
	const secondsADay = 24 * 60 * 60
	const at = 1709564645 // 2024-03-04T15:04:05Z
	var b bytes.Buffer
	w := parquet.NewGenericWriter[ordered](&b)
	nanosOfDay := uint64(at%secondsADay) * 1e9
	_, err := w.Write([]ordered{{
		Day: at / secondsADay, Millis: at*1e3 + 250, Micros: at * 1e6, Nanos: at*1e9 + 1, Old: deprecated.Int96{uint32(nanosOfDay), uint32(nanosOfDay >> 32), at/secondsADay + julianEpoch},
		Single: 0.1, Double: -2.5, Price: 12345, Small: -5, Whole: 7, Text: "x",
		Key: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255},
	}})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	path := save(t, b.Bytes())
	for name, want := range map[string]string{
		"day": "2024-03-04", "millis": "2024-03-04T15:04:05.25Z", "micros": "2024-03-04T15:04:05Z", "nanos": "2024-03-04T15:04:05.000000001Z", "old": "2024-03-04T15:04:05Z",
		"single": "0.1", "double": "-2.5", "price": "123.45", "small": "-0.005", "whole": "7", "text": "x",
		"key": "000102030405060708090a0b0c0d0eff",
	} {
		f, err := OpenParquet(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		add(t, f, name)
		if got, err := read(f, 1); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
		if _, _, err := f.Add("flag"); !errors.As(err, new(*TypeError)) {
			t.Errorf("a flag: %v, want a TypeError", err)
		}
		if _, _, err := f.Add("none"); !errors.Is(err, ErrNoColumn) {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// No digit of a decimal number is lost.
func TestAppendDecimal(t *testing.T) {
	for _, tt := range []struct {
		unscaled int64
		scale    int
		want     string
	}{
		{0, 0, "0"}, {0, 2, "0"}, {-1250, 2, "-12.5"}, {1200, 2, "12"}, {5, 3, "0.005"}, {-5, 1, "-0.5"}, {7, -2, "7e2"}, {7, 40, "7e-40"},
		{math.MaxInt64, 2, "92233720368547758.07"}, {math.MinInt64, 18, "-9.223372036854775808"}, {math.MinInt64, 0, "-9223372036854775808"},
	} {
		if got := string(appendDecimal(nil, tt.unscaled, tt.scale)); got != tt.want {
			t.Errorf("%d with scale %d is %s, want %s", tt.unscaled, tt.scale, got, tt.want)
		}
	}
}
