package results

import "testing"

func TestPassed(t *testing.T) {
	for _, tt := range []struct {
		is   Passed
		want string
	}{
		{Passed{Files: 1}, "1 binary file passed over"},
		{Passed{Files: 3, Pictures: 1}, "3 binary files passed over (pictures: 1, which --format image makes hashes of)"},
		{Passed{Files: 9, Convertible: 1}, "9 binary files passed over (PDFs or archives: 1, whose texts a converter such as pdftotext finds)"},
		{
			Passed{Files: 1062, Pictures: 1052, Convertible: 7},
			"1,062 binary files passed over (pictures: 1,052, which --format image makes hashes of; PDFs or archives: 7, whose texts a converter such as pdftotext finds)",
		},
		{Passed{Links: 1, Irregular: 2}, "1 symbolic link passed over; 2 special files passed over"},
		{Passed{Files: 2, Irregular: 1, OfPictures: true}, "2 files passed over, which are no pictures; 1 special file passed over"},
		{Passed{Files: 2, OfPictures: true}, "2 files passed over, which are no pictures"},
	} {
		if got := tt.is.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.is, got, tt.want)
		}
	}
}
