package prints

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"simsearch/internal/files/document"
)

func TestParse(t *testing.T) {
	const neither64 = "is not a fingerprint: want 16 hexadecimal digits, or a decimal number of at most 64 bits"
	for _, tt := range []struct {
		text string
		bits int
		want uint64
		err  string
	}{
		{"70f26225f4a2a2a9", 64, 0x70f26225f4a2a2a9, ""},
		{"00AA4B8A8989ABAE", 64, 0xaa4b8a8989abae, ""},
		{"1234567890123456", 64, 0x1234567890123456, ""},
		{"0x12", 64, 0x12, ""}, {"0XffffFFFFffffFFFF", 64, math.MaxUint64, ""},
		{"0x0123456789abcd", 64, 0x0123456789abcd, ""}, // 16 characters
		{"+12", 64, 12, ""}, {"+1234567890123456", 64, 1234567890123456, ""}, {"+123456789012345", 64, 123456789012345, ""},
		{"18446744073709551615", 64, math.MaxUint64, ""}, {"12345678901234567", 64, 12345678901234567, ""},
		{"-1", 64, math.MaxUint64, ""}, {"-9223372036854775808", 64, 1 << 63, ""},
		{"12", 64, 0, `"12" may be hexadecimal or decimal: want 16 hexadecimal digits, or 0x or a sign before it`},
		{"", 64, 0, neither64}, {"x", 64, 0, neither64}, {"0x", 64, 0, neither64}, {"abc", 64, 0, neither64},
		{"18446744073709551616", 64, 0, neither64}, {"-9223372036854775809", 64, 0, neither64}, {"--1", 64, 0, neither64},
		{"0x12345678901234567", 64, 0, neither64}, {"+-1", 64, 0, neither64}, {"+18446744073709551616", 64, 0, neither64},
		{"1234567890123456789012", 64, 0, neither64}, {"1.5", 64, 0, neither64}, {"1_000_000_000_000_000", 64, 0, neither64},
		{"f4a2a2a9", 32, 0xf4a2a2a9, ""}, {"12345678", 32, 0x12345678, ""}, {"4294967295", 32, math.MaxUint32, ""},
		{"-1", 32, math.MaxUint32, ""}, {"-2147483648", 32, 1 << 31, ""}, {"123456789", 32, 123456789, ""},
		{"4294967296", 32, 0, "is not a fingerprint: want 8"}, {"70f26225f4a2a2a9", 32, 0, "at most 32 bits; --bits 64 reads it"},
		{"0x1ffffffff", 32, 0, "is not a fingerprint"}, {"1234567", 32, 0, "may be hexadecimal or decimal: want 8"},
	} {
		fp, _, err := Parse([]byte(tt.text), tt.bits)
		got := fp[0]
		if tt.err == "" && (err != nil || got != tt.want) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%q of %d bits: %x, %v; want %x, %s", tt.text, tt.bits, got, err, tt.want, tt.err)
		}
	}
}

// A fingerprint is read back from each form in which it can be written, and every form that is read
// is in the width.
func FuzzParse(f *testing.F) {
	f.Add("0x12", uint64(1))
	f.Add("-9223372036854775808", uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, text string, fp uint64) {
		for _, bits := range []int{64, 32} {
			if got, _, err := Parse([]byte(text), bits); err == nil && got[0]>>(bits-1)>>1 != 0 {
				t.Fatalf("%q of %d bits is %x", text, bits, got)
			}
			want := fp & (math.MaxUint64 >> (64 - bits))
			signed := int64(want)
			if bits == 32 {
				signed = int64(int32(want))
			}
			forms := []string{fmt.Sprintf("%#x", want), fmt.Sprintf("%0*X", bits/4, want), fmt.Sprintf("+%d", want)}
			if signed < 0 {
				forms = append(forms, fmt.Sprint(signed))
			}
			for _, form := range forms {
				if got, _, err := Parse([]byte(form), bits); err != nil || got != (document.Long{want}) {
					t.Fatalf("%q of %d bits is %x, %v", form, bits, got, err)
				}
			}
		}
	})
}

// A fingerprint of more bits is read back from its digits and from its bytes.
func FuzzLong(f *testing.F) {
	f.Add("0x12", []byte("0123456789abcdef0123456789abcdef"))
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		for _, bits := range []int{128, 256} {
			if got, _, err := Parse([]byte(text), bits); err == nil && bits == 128 && (got[2] != 0 || got[3] != 0) {
				t.Fatalf("%q of %d bits is %x", text, bits, got)
			}
			if len(raw) < bits/8 {
				continue
			}
			digits := hex.EncodeToString(raw[:bits/8])
			for _, form := range []string{digits, "0x" + digits, strings.ToUpper(digits)} {
				got, as, err := Parse([]byte(form), bits)
				if err != nil || as != Hexadecimal || Format(&got, bits) != digits {
					t.Fatalf("%q of %d bits is %x, %v", form, bits, got, err)
				}
				for _, words := range []bool{false, true} {
					l := Layout{Bytes: bits / 8, Words: words}
					if l.Decode(l.Append(nil, &got)) != got {
						t.Fatalf("%x is not read as it is written", got)
					}
				}
			}
		}
	})
}

func TestLong(t *testing.T) {
	for _, text := range []string{"", "0x", "12", "-1", "+1", "70f26225f4a2a2a9", strings.Repeat("g", 64), strings.Repeat("0", 65), "0x" + strings.Repeat("0", 65)} {
		if fp, _, err := Parse([]byte(text), 256); err == nil || !strings.Contains(err.Error(), "want 64 hexadecimal digits") {
			t.Errorf("%q is %x, %v", text, fp, err)
		}
	}
	fp, _, err := Parse([]byte("0xab"), 256)
	if want := strings.Repeat("0", 62) + "ab"; err != nil || Format(&fp, 256) != want {
		t.Errorf("it is %x, %v", fp, err)
	}
	if got := Format(&fp, 32); got != "00000000" {
		t.Errorf("the first word is %s", got)
	}
}
