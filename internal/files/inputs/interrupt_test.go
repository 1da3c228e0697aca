package inputs

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestInterruptibleReadsAll(t *testing.T) {
	text := strings.Repeat("some text ", 1000)
	for _, from := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		got, err := io.ReadAll(&interruptible{ctx: t.Context(), from: from})
		if err != nil || string(got) != text {
			t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
		}
	}
	if err := iotest.TestReader(&interruptible{ctx: t.Context(), from: strings.NewReader(text)}, []byte(text)); err != nil {
		t.Error(err)
	}
}
