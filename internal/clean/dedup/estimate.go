package dedup

import "simsearch/internal/clean/warnings"

// newEstimator begins to measure. It is an error if the disk is too small for what is written again.
func (c *Collection) newEstimator() error {
	e := warnings.Begin()
	for _, p := range c.Passes {
		_, size := p.Reader.Progress()
		e.Bytes += size
		if !p.Reference && !c.Options.DryRun {
			e.Written += size
		}
	}
	c.estimator, c.estimated = e, c.Options.State == "" || c.Options.Expect == nil
	return warnings.CheckSpace(c.Options.State, e.Written, c.Options.Free)
}

// expect tells of an estimate once, when enough of the documents has been read, of which there are n until now. all
// says that these are all. It is an error if the disk is too small.
func (c *Collection) expect(n int, all bool) error {
	e := &c.estimator
	if c.estimated || !e.IsLarge() && (!c.Options.DryRun || !all) {
		return nil
	}
	read := int64(0)
	for _, p := range c.Passes {
		done, _ := p.Reader.Progress()
		read += done
	}
	if !e.Has(read) || n == 0 {
		return nil
	}
	c.estimated = true
	e.Documents, e.IDs, e.Features, e.Memory = n, len(c.IDs), c.features, c.Options.Memory
	e.Fingerprints = c.Options.ByDistance()
	is := e.Estimate()
	c.Options.Expect(is)
	return warnings.CheckSpace(c.Options.State, is.Disk, c.Options.Free)
}
