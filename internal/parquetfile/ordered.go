package parquetfile

import (
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// OrderedColumn is Column for values that are compared: they may be floating-point numbers, decimal numbers in 64
// bits, dates and times, too. Column.Append writes a date as 2006-01-02, and a time as RFC 3339 does, in UTC.
func (f *File) OrderedColumn(name string) (Column, error) {
	return guarded(func() (Column, error) { return f.ordered(name) })
}

func (f *File) ordered(name string) (Column, error) {
	found, err := f.leaf(name)
	if err != nil {
		return Column{}, err
	}
	c := Column{Name: name, index: found.Index(), kind: found.Type().Kind()}
	if c.format = formatOf(c.kind, logicalOf(found)); c.format != nil {
		return c, nil
	}
	return f.column(name)
}

// formatOf returns what formats values that Column refuses, or nil for others.
func formatOf(kind parquet.Kind, logical format.LogicalTypeValue) func(dst []byte, v parquet.Value) []byte {
	switch t := logical.(type) {
	case *format.DateType:
		if kind == parquet.Int32 {
			return func(dst []byte, v parquet.Value) []byte {
				return time.Unix(int64(v.Int32())*secondsADay, 0).UTC().AppendFormat(dst, time.DateOnly)
			}
		}
	case *format.TimestampType:
		if kind == parquet.Int64 {
			return formatTimestamp(t.Unit)
		}
	case *format.DecimalType:
		switch kind {
		case parquet.Int32:
			return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, int64(v.Int32()), int(t.Scale)) }
		case parquet.Int64:
			return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v.Int64(), int(t.Scale)) }
		}
	}
	switch kind {
	case parquet.Float:
		return func(dst []byte, v parquet.Value) []byte { return appendFloat(dst, float64(v.Float()), 32) }
	case parquet.Double:
		return func(dst []byte, v parquet.Value) []byte { return appendFloat(dst, v.Double(), 64) }
	case parquet.Int96:
		return formatInt96
	}
	return nil
}

// appendDecimal appends unscaled, divided by ten to the power of scale, to dst. Digits are 0 where scale says so alone.
func appendDecimal(dst []byte, unscaled int64, scale int) []byte {
	if scale == 0 {
		return strconv.AppendInt(dst, unscaled, 10)
	}
	if scale < 0 || scale > mostScale {
		return append(strconv.AppendInt(dst, unscaled, 10), ("e" + strconv.Itoa(-scale))...)
	}
	if unscaled < 0 {
		dst = append(dst, '-')
	}
	digits := strconv.FormatUint(magnitude(unscaled), 10)
	digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
	point := len(digits) - scale
	if digits = strings.TrimRight(digits[:point]+"."+digits[point:], "0"); digits[len(digits)-1] == '.' {
		digits = digits[:point]
	}
	return append(dst, digits...)
}

// mostScale is that of the decimal numbers of 64 bits.
const mostScale = 18

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func appendFloat(dst []byte, f float64, bits int) []byte {
	return strconv.AppendFloat(dst, f, 'g', -1, bits)
}

const secondsADay = 24 * 60 * 60

// formatTimestamp returns what formats times in a unit.
func formatTimestamp(unit format.TimeUnit) func(dst []byte, v parquet.Value) []byte {
	return func(dst []byte, v parquet.Value) []byte {
		n := v.Int64()
		var t time.Time
		switch unit.Value.(type) {
		case *format.MilliSeconds:
			t = time.UnixMilli(n)
		case *format.MicroSeconds:
			t = time.UnixMicro(n)
		default:
			t = time.Unix(0, n)
		}
		return t.UTC().AppendFormat(dst, time.RFC3339Nano)
	}
}

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

// formatInt96 formats a time as Spark and Impala wrote it: nanoseconds of the day, and the Julian day.
func formatInt96(dst []byte, v parquet.Value) []byte {
	is := v.Int96()
	nanos := int64(is[0]) | int64(is[1])<<32
	days := int64(int32(is[2])) - julianEpoch
	return time.Unix(days*secondsADay, nanos).UTC().AppendFormat(dst, time.RFC3339Nano)
}
