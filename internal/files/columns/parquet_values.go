package columns

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// formatOf returns what appends the values of a type to a text, or nil if none does.
func formatOf(kind parquet.Kind, logical format.LogicalTypeValue) func(dst []byte, v parquet.Value) []byte {
	const secondsADay = 24 * 60 * 60
	integer := func(v parquet.Value) int64 {
		if kind == parquet.Int32 {
			return int64(v.Int32())
		}
		return v.Int64()
	}
	switch kind {
	case parquet.ByteArray:
		return func(dst []byte, v parquet.Value) []byte { return append(dst, v.ByteArray()...) }
	case parquet.FixedLenByteArray:
		if _, ok := logical.(*format.UUIDType); ok {
			return appendUUID
		}
		if logical == nil {
			return func(dst []byte, v parquet.Value) []byte { return hex.AppendEncode(dst, v.ByteArray()) }
		}
	case parquet.Int32, parquet.Int64:
		switch t := logical.(type) {
		case *format.DateType:
			return func(dst []byte, v parquet.Value) []byte {
				return time.Unix(integer(v)*secondsADay, 0).UTC().AppendFormat(dst, time.DateOnly)
			}
		case *format.TimestampType:
			return formatTimestamp(t.Unit)
		case *format.TimeType:
			return nil
		case *format.DecimalType:
			return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, integer(v), int(t.Scale)) }
		case *format.IntType:
			if !t.IsSigned && kind == parquet.Int32 {
				return func(dst []byte, v parquet.Value) []byte { return strconv.AppendUint(dst, uint64(v.Uint32()), 10) }
			}
			if !t.IsSigned {
				return func(dst []byte, v parquet.Value) []byte { return strconv.AppendUint(dst, v.Uint64(), 10) }
			}
		}
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, integer(v), 10) }
	case parquet.Float:
		return func(dst []byte, v parquet.Value) []byte {
			return strconv.AppendFloat(dst, float64(v.Float()), 'g', -1, 32)
		}
	case parquet.Double:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendFloat(dst, v.Double(), 'g', -1, 64) }
	case parquet.Int96: // a time as Spark and Impala wrote it: nanoseconds of the day, and the Julian day
		return func(dst []byte, v parquet.Value) []byte {
			is := v.Int96()
			days := int64(int32(is[2])) - julianEpoch
			return time.Unix(days*secondsADay, int64(is[0])|int64(is[1])<<32).UTC().AppendFormat(dst, time.RFC3339Nano)
		}
	}
	return nil
}

// julianEpoch is the Julian day of 1970-01-01.
const julianEpoch = 2440588

// formatTimestamp returns what appends times in a unit.
func formatTimestamp(unit format.TimeUnit) func(dst []byte, v parquet.Value) []byte {
	return func(dst []byte, v parquet.Value) []byte {
		at := time.Unix(0, v.Int64())
		switch unit.Value.(type) {
		case *format.MilliSeconds:
			at = time.UnixMilli(v.Int64())
		case *format.MicroSeconds:
			at = time.UnixMicro(v.Int64())
		}
		return at.UTC().AppendFormat(dst, time.RFC3339Nano)
	}
}

// mostScale is that of the decimal numbers of 64 bits.
const mostScale = 18

// appendDecimal appends unscaled, divided by ten to the power of scale, to dst. Digits are 0 where scale says so alone.
func appendDecimal(dst []byte, unscaled int64, scale int) []byte {
	switch {
	case scale == 0:
		return strconv.AppendInt(dst, unscaled, 10)
	case scale < 0 || scale > mostScale:
		return append(strconv.AppendInt(dst, unscaled, 10), ("e" + strconv.Itoa(-scale))...)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	digits := new(big.Rat).SetFrac(big.NewInt(unscaled), power).FloatString(scale)
	return append(dst, strings.TrimSuffix(strings.TrimRight(digits, "0"), ".")...)
}

func appendUUID(dst []byte, v parquet.Value) []byte {
	id := v.ByteArray()
	return fmt.Appendf(dst, "%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}
