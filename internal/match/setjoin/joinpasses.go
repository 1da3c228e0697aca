package setjoin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"simsearch/internal/ground/parallel"
)

// Where the memory would hold more than leastLists bytes of lists, it holds about one in mostPasses of them at a time.
const leastLists, mostPasses = 32 << 20, 3

// passes finds all pairs. Each pass reads all prefixes, and takes the ranks of which the lists fit into memory.
func (j *join) passes(ctx context.Context, o Options, yield func(*joined) error) error {
	memory := uint64(cmp.Or(o.Memory, defaultMemory))
	all := uint64(1)
	for _, n := range j.blocks {
		all += n
	}
	perRank := uint64(max(1, o.Threads) + 1)
	memory = min(memory, max(leastLists, 12*all/mostPasses))
	j.room = min(all, memory/12)
	for block := 0; block < len(j.blocks); {
		lo := block
		n := uint64(0)
		for block < len(j.blocks) && (block == lo || 12*(n+j.blocks[block])+4*uint64(block-lo)*rankStep*perRank <= memory &&
			n+j.blocks[block] <= math.MaxUint32) {
			n += j.blocks[block]
			block++
		}
		if err := j.fill(ctx, uint32(lo*rankStep), uint32(min(j.sets.Ranks(), block*rankStep)), max(1, o.Threads)); err != nil {
			return err
		}
		if j.listing != nil && j.listing.Dense != nil {
			if err := j.denseCrowds(ctx); err != nil {
				return err
			}
		}
		told := func(done, cost uint64) {
			if o.Progress != nil {
				part := float64(j.postings) + float64(n)*float64(done)/float64(cost)
				o.Progress(int(part/float64(all)*float64(len(j.order))), len(j.order))
			}
		}
		if err := j.pass(ctx, o.Threads, told, yield); err != nil {
			return err
		}
		j.postings += int64(n)
	}
	if o.Progress != nil {
		o.Progress(len(j.order), len(j.order))
	}
	if j.listing != nil && j.listing.Dense != nil { // Stars compares whole sketches
		return j.sketchAll(ctx, max(1, o.Threads))
	}
	return nil
}

// pass finds the pairs of the lists of a pass.
func (j *join) pass(ctx context.Context, threads int, told func(done, cost uint64), yield func(*joined) error) error {
	tasks, cost := j.tasks()
	done := uint64(0)
	for from := uint32(0); from < uint32(len(j.starts)-1); {
		n, to := j.chunk(tasks)
		err := j.rounds(ctx, threads, tasks[:n], func(t *joinTask, found *joined) error {
			if found.rest == nil {
				done += t.cost
			}
			told(done, cost)
			return yield(found)
		})
		if err != nil {
			return err
		}
		j.leaveBehind(from, to)
		tasks, from = tasks[n:], to
	}
	return nil
}

// After each chunk of lists, their ranks leave the sketches. It has at least half as many entries as there are sets,
// and costs chunkCost or more.
const chunkCost = 1 << 25

// chunk returns how many of the first tasks are of a chunk, and the rank before which that ends.
func (j *join) chunk(tasks []joinTask) (n int, to uint32) {
	first, cost := j.starts[tasks[0].lo], uint64(0)
	for n, t := range tasks {
		if t.from == 0 && cost >= j.least && int(j.starts[t.lo]-first) >= len(j.order)/2 {
			return n, t.lo
		}
		cost += t.cost
	}
	return len(tasks), uint32(len(j.starts) - 1)
}

// leaveBehind takes the ranks from one on and before another one out of the sketches, as if no other set had them: the
// pairs that share one of them first have been found. The fewer features a pair has yet to share, the more narrowly
// sketches bound it. (So they have the positional filter of Xiao, Wang, Lin and Yu 2008 in them.)
func (j *join) leaveBehind(from, to uint32) {
	for r := from; r < to; r++ {
		for _, e := range j.lists[j.starts[r]:j.starts[r+1]] {
			record := j.record(e.place())
			flip(record[:j.words], j.first+r)
			record[j.words]++ // aloneOf
		}
	}
}

// rounds does the tasks, and calls yield with each and what it has found, in order. With a listing, a number of tasks
// are a round, and what is left of them is of the next one.
func (j *join) rounds(ctx context.Context, threads int, tasks []joinTask, yield func(t *joinTask, found *joined) error) error {
	if j.listing == nil {
		at := 0
		return j.each(ctx, threads, tasks, func(found *joined) error { at++; return yield(&tasks[at-1], found) })
	}
	for left := []joinTask(nil); len(left)+len(tasks) > 0; { // what is left of tasks comes first
		some := slices.Clone(left[:min(len(left), j.listing.tasks)])
		left = left[len(some):]
		n := min(len(tasks), j.listing.tasks-len(some))
		some, tasks = append(some, tasks[:n]...), tasks[n:]
		var all []*joined
		err := j.each(ctx, threads, some, func(found *joined) error { all = append(all, found); return nil })
		if errors.Is(err, errStopped) { // from now on, pairs of crowds are left out: of this round, too
			j.limit = 0
			j.listing.thin(j)
			if err := j.denseCrowds(ctx); err != nil {
				return err
			}
			left = append(some, left...)
			continue
		}
		if err != nil {
			return err
		}
		var rest []joinTask
		for i, found := range all {
			if err := yield(&some[i], found); err != nil {
				return err
			}
			if found.rest != nil {
				rest = append(rest, *found.rest)
			}
			j.listing.add(found)
		}
		j.listing.drop()
		j.listing.pace(all)
		left = append(rest, left...)
	}
	return nil
}

// each does tasks, and calls yield with what each has found, in order.
func (j *join) each(ctx context.Context, threads int, tasks []joinTask, yield func(found *joined) error) error {
	work := func(ctx context.Context, i int) (*joined, error) { return j.task(ctx, &tasks[i]) }
	return parallel.Ordered(ctx, threads, len(tasks), work, yield)
}

// fill makes the lists of the ranks from lo on and below hi. Lists of one set are left empty.
func (j *join) fill(ctx context.Context, lo, hi uint32, threads int) error {
	n := len(j.order)
	at := make([][]uint32, threads) // of the entries of each goroutine in each list; at first how many they are
	each := func(do func(thread int, rank uint32, e entry)) error {
		work := func(ctx context.Context, thread int) (struct{}, error) {
			for from, to := thread*n/threads, (thread+1)*n/threads; from < to; from += scanPlaces {
				if ctx.Err() != nil {
					return struct{}{}, context.Cause(ctx)
				}
				j.eachPrefix(from, min(to, from+scanPlaces), lo, hi, func(r uint32, e entry) { do(thread, r, e) })
			}
			return struct{}{}, nil
		}
		return parallel.Ordered(ctx, threads, threads, work, func(struct{}) error { return nil })
	}
	for i := range at {
		at[i] = make([]uint32, hi-lo)
	}
	if err := each(func(thread int, r uint32, _ entry) { at[thread][r-lo]++ }); err != nil {
		return err
	}
	j.first, j.starts = lo, make([]uint32, hi-lo+1)
	sum := uint64(0)
	for r := range j.starts[1:] {
		n := uint64(0)
		for _, of := range at {
			n += uint64(of[r])
		}
		if n < 2 {
			n = 0
		}
		if sum+n > math.MaxUint32 {
			return fmt.Errorf("the %d ranks from %d on are in the prefixes of more than %d sets together", hi-lo, lo, uint32(math.MaxUint32))
		}
		next := uint32(sum)
		for _, of := range at {
			of[r], next = next, next+of[r]
		}
		j.starts[r] = uint32(sum)
		sum += n
	}
	j.starts[hi-lo] = uint32(sum)
	if uint64(cap(j.lists)) < sum {
		j.lists = make([]entry, 0, max(sum, j.room))
	}
	j.lists = j.lists[:sum]
	return each(func(thread int, r uint32, e entry) {
		if r -= lo; j.starts[r] < j.starts[r+1] {
			j.lists[at[thread][r]] = e
			at[thread][r]++
		}
	})
}

// A joinTask is the lists of some ranks, or some sets of a long list.
type joinTask struct {
	lo, hi   uint32 // behind the first rank of the pass
	from, to int    // of the list, if it is long; else to is 0, and the first list begins at from
	cost     uint64
}

// The cost of a task is about how many pairs of sketches it compares. A list of more than longSets is of several tasks.
const taskCost, longSets = 1 << 22, 1 << 12

// mostParts is of how many tasks a list is at most, since each of them reads all of it.
const mostParts = 16

// tasks cuts the lists of a pass into tasks. It returns the sum of their costs, too.
func (j *join) tasks() (tasks []joinTask, all uint64) {
	var t joinTask
	end := func(r uint32) {
		if t.hi = r; t.lo < t.hi {
			all += t.cost
			tasks = append(tasks, t)
		}
		t = joinTask{lo: r + 1}
	}
	ranks := uint32(len(j.starts) - 1)
	for r := range ranks {
		n := uint64(j.starts[r+1] - j.starts[r])
		if n <= uint64(j.long) {
			if t.cost += n*n/4 + n + 1; t.cost > taskCost {
				end(r + 1)
				t.lo = r + 1
			}
			continue
		}
		end(r)
		rows := int(max(64, n/mostParts, 2*taskCost/n))
		for from := 0; from < int(n); from += rows {
			part := joinTask{lo: r, hi: r + 1, from: from, to: min(int(n), from+rows)}
			part.cost = uint64(part.to-part.from) * n / 4
			all += part.cost
			tasks = append(tasks, part)
		}
	}
	end(ranks)
	return tasks, max(1, all)
}
