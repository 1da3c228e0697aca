package terminal

import (
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Modes of progress.
const (
	NoProgress = "none"
	Bar        = "bar" // one line that is overwritten
	Log        = "log" // a line every few seconds
)

const (
	barInterval = 100 * time.Millisecond
	logInterval = 10 * time.Second
)

// A Meter shows the progress of one work, which reads bytes and then has phases of unknown length. It is safe
// for concurrent use.
type Meter struct {
	w        io.Writer
	mode     string
	progress func() (done, total int64)
	done     atomic.Int64 // of Tell
	all      atomic.Int64
	start    time.Time
	stop     chan struct{}
	once     sync.Once // closes stop
	wg       sync.WaitGroup

	mu    sync.Mutex
	what  string    // guarded by mu
	begun time.Time // of what; guarded by mu
	phase string    // guarded by mu; "" while bytes are read
	width int       // the width of the bar on the screen; guarded by mu
	whole bool      // a line of the log has said that all of what is done; guarded by mu
}

// StartMeter begins to show progress on w. progress returns the number of bytes that have been read, and the number of
// all bytes, which is 0 if it is unknown. If it is nil, Tell or Parts says so.
func StartMeter(w io.Writer, mode, what string, progress func() (done, total int64)) *Meter {
	m := &Meter{w: w, mode: mode, what: what, progress: progress, start: time.Now(), begun: time.Now(), stop: make(chan struct{})}
	if progress == nil {
		m.Parts(0, 1)
		m.progress = func() (int64, int64) { return m.done.Load(), m.all.Load() }
	}
	interval := logInterval
	switch mode {
	case Bar:
		interval = barInterval
		m.show() // the bar is shown at once
	case Log:
	default:
		return m
	}
	m.wg.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.show()
			case <-m.stop:
				return
			}
		}
	})
	return m
}

// Tell says how many bytes are done, and how many there are.
func (m *Meter) Tell(done, all int64) {
	m.done.Store(done)
	m.all.Store(all)
}

// Parts is Tell for a work that consists of parts.
func (m *Meter) Parts(done, parts int) { m.Tell(int64(done), -int64(parts)) }

// Phase sets the name of the phase after reading, or after the parts.
func (m *Meter) Phase(what string) {
	m.mu.Lock()
	m.phase = what
	m.mu.Unlock()
}

// Next begins another work of the same command, which has a word and a speed of its own.
func (m *Meter) Next(what string) {
	m.mu.Lock()
	m.what, m.phase, m.begun, m.whole = what, "", time.Now(), false
	m.Parts(0, 1)
	m.mu.Unlock()
}

// Hide ends the display and clears the bar if there is one. A log goes on.
func (m *Meter) Hide() {
	if m.mode == Bar {
		m.Stop()
	}
}

// Stop ends the display and clears the bar. Only the first call has an effect.
func (m *Meter) Stop() {
	m.once.Do(func() { close(m.stop) })
	m.wg.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
}

// Print writes a message above the bar.
func (m *Meter) Print(message string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
	fmt.Fprintln(m.w, message)
}

// Elapsed returns the time since the start.
func (m *Meter) Elapsed() time.Duration { return time.Since(m.start) }

func (m *Meter) clear() {
	if m.width > 0 {
		fmt.Fprintf(m.w, "\r%*s\r", m.width, "")
		m.width = 0
	}
}

func (m *Meter) show() {
	m.mu.Lock()
	defer m.mu.Unlock()
	done, total := m.progress()
	line := progressLine(m.what, m.phase, done, total, time.Since(m.begun), memory())
	if m.mode == Log {
		whole := m.phase == "" && total != 0 && done >= max(total, -total)
		if !whole || !m.whole {
			fmt.Fprintln(m.w, line)
		}
		m.whole = whole
		return
	}
	pad := max(0, m.width-len(line))
	fmt.Fprintf(m.w, "\r%s%*s", line, pad, "")
	m.width = len(line)
}

// progressLine returns one line of progress. A negative total is a number of parts instead of bytes.
func progressLine(what, phase string, done, total int64, elapsed time.Duration, memory uint64) string {
	line, parts := what+": ", total < 0
	all := max(total, -total)
	switch {
	case phase != "" && parts:
		line += phase
	case phase != "":
		line += phase + ", " + Bytes(done) + " read"
	case parts:
		line += fmt.Sprintf("%d%%", 100*done/all)
	case total > 0:
		line += fmt.Sprintf("%d%% of %s", min(100, 100*done/total), Bytes(total))
	default:
		line += Bytes(done)
	}
	if phase != "" {
		return fmt.Sprintf("%s, %s of memory, %s", line, Bytes(int64(memory)), Coarse(elapsed))
	}
	if !parts {
		line += fmt.Sprintf(", %s/s", Bytes(int64(float64(done)/max(elapsed.Seconds(), 1e-3))))
	}
	if 0 < done && done < all && elapsed > time.Second {
		line += ", " + Coarse(time.Duration(float64(all-done)/float64(done)*float64(elapsed))) + " left"
	}
	return line + ", " + Bytes(int64(memory)) + " of memory"
}

// Coarse rounds a duration for display.
func Coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}

// Bytes returns n in the largest unit in which it is at least 1, with three digits.
func Bytes(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	x, units := float64(n)/1000, []string{"kB", "MB", "GB", "TB"}
	for ; x >= 999.5 && len(units) > 1; units = units[1:] {
		x /= 1000
	}
	digits := 0
	switch {
	case x < 9.995:
		digits = 2
	case x < 99.95:
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, x, units[0])
}

// memory returns how many bytes the Go runtime has obtained from the system.
func memory() uint64 {
	var m runtime.MemStats // package runtime/metrics takes a tenth of a millisecond of each start
	runtime.ReadMemStats(&m)
	return m.Sys - m.HeapReleased
}
