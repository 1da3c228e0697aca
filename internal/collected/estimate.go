package collected

import (
	"time"

	"simsearch/internal/forecast"
)

// leastEstimated is the size in bytes of files from which on there is an estimate, when one part in estimatedAt has been read.
const leastEstimated, estimatedAt = 128 << 20, 16

// pacedFrom is when one part in so many has been read. What was read before does not count for the pace, since a run begins slowly.
const pacedFrom = 64

// An estimator makes an estimate while files are read.
type estimator struct {
	begin time.Time
	forecast.Reading
	told  bool
	paced int64 // bytes that had been read
	since time.Time
}

// took returns how long all that was read would have taken at the pace of the later part.
func (e *estimator) took() time.Duration {
	if e.paced == 0 || e.paced >= e.Read {
		return time.Since(e.begin)
	}
	return time.Duration(float64(time.Since(e.since)) * float64(e.Read) / float64(e.Read-e.paced))
}

// newEstimator begins to measure. It is an error if the disk is too small for what is written again.
func (c *Collection) newEstimator() error {
	c.estimator = estimator{begin: time.Now(), told: c.Options.State == "" || c.Options.Expect == nil}
	for _, p := range c.Passes {
		_, size := p.Reader.Progress()
		c.estimator.Bytes += size
		if !p.Reference && !c.Options.DryRun {
			c.estimator.Written += size
		}
	}
	return forecast.CheckSpace(c.Options.State, c.estimator.Written, c.Options.Free)
}

// expect tells of an estimate once, when enough has been read. It is an error if the disk is too small.
func (c *Collection) expect(all bool) error {
	e := &c.estimator
	if e.told || e.Bytes < leastEstimated && (!c.Options.DryRun || !all) {
		return nil
	}
	e.Read = 0
	for _, p := range c.Passes {
		done, _ := p.Reader.Progress()
		e.Read += done
	}
	if e.paced == 0 && e.Read >= e.Bytes/pacedFrom {
		e.paced, e.since = e.Read, time.Now()
	}
	if len(c.Lengths) == 0 || e.Read < max(1, e.Bytes/estimatedAt) {
		return nil
	}
	e.told = true
	e.Documents, e.IDs, e.Features, e.Took, e.Memory = len(c.Lengths), len(c.ids), c.features, e.took(), c.Options.Memory
	e.Fingerprints, e.Threshold = c.Options.ByDistance(), c.Options.Threshold
	is := e.Estimate()
	c.Options.Expect(is)
	return forecast.CheckSpace(c.Options.State, is.Disk, c.Options.Free)
}
