package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"simsearch/internal/cli"
	"simsearch/internal/cli/intake"
	"simsearch/internal/ground/terminal"
	"simsearch/internal/index"
	"simsearch/internal/serve/gate"
)

// betweenLooks is the time between two looks at folders. Tests look more often.
var betweenLooks = time.Second

func watchCommand(t *task) *cli.Command {
	return t.command("watch", runWatch, []cli.AnyFlag{
		t.IndexFlag(),
		t.LimitFlag(),
	}, t.PredicateFlags(), t.SettingsFlags(), t.CorpusFlags(), t.CommonFlags())
}

func runWatch(t *task) (err error) {
	if !t.HasInputs() {
		return errors.New("watch what? name folders, or - for standard input")
	}
	stream := slices.Contains(t.Args, "-")
	for _, name := range t.Args {
		if stream && name != "-" {
			return errors.New("watch takes standard input or folders, not both")
		}
		if info, err := os.Stat(name); !stream && err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file: watch takes folders, or - for standard input", terminal.Plain(name))
		}
	}
	w, err := t.openWatch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Gate.Close()) }()
	if stream {
		err = t.watchStream(w)
	} else {
		err = t.watchFolders(w)
	}
	near := w.Documents - w.New - w.Changed - w.Known - w.Refused
	t.tell("%s: %s new%s, %s near others, %s known%s", terminal.Plural(w.Documents, "document"),
		terminal.Thousands(w.New), terminal.Some(w.Changed, ", %s changed"), terminal.Thousands(near),
		terminal.Thousands(w.Known), terminal.Some(w.Refused, ", %s refused"))
	return err
}

// openWatch opens the index for writing, and says what is near in it.
func (t *task) openWatch() (*intake.Watch, error) {
	want, how, err := t.PlannedIndex()
	if err != nil {
		return nil, err
	}
	w := &intake.Watch{
		Context: t.Context, Limit: t.Limit.Value, Teller: t.teller, Out: t.list(), Flush: t.stdout.Flush,
		ByDistance: t.ByDistance(), KeepPrivate: t.keepPrivate,
	}
	w.Teller.Now, how.SyncLate = true, true // answers wait for Sync
	how.Refused = func(id []byte, source, why string) { w.In.Report(why, refusal(id, source, why)) }
	live, err := index.OpenLive(t.Index.Value, want, how)
	if err != nil {
		return nil, err
	}
	if w.Gate, err = gate.New(live, 0); err != nil {
		return nil, errors.Join(err, live.Close())
	}
	err = w.Gate.See(func(v *gate.View) (err error) {
		w.Near, err = t.Predicate(v.Snapshot)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, w.Gate.Close())
	}
	w.How = index.Options{Predicate: w.Near.Predicate, Threads: 1, Batch: 1}
	if w.Limit > 0 {
		w.How.Limit = w.Limit + 1 // the document itself, if it is there
	}
	return w, nil
}

// watchStream answers the documents of standard input.
func (t *task) watchStream(w *intake.Watch) error {
	r, err := t.openPrivately(w.Gate.Live().Settings().Bits)
	if err != nil {
		return err
	}
	if err := w.Read(r, nil); err != nil {
		return err
	}
	return t.badDocuments(w.In.Bad)
}

// watchFolders looks at the folders of the arguments until the command is interrupted.
func (t *task) watchFolders(w *intake.Watch) error {
	how, err := t.CorpusOptions(w.Gate.Live().Settings().Bits)
	if err != nil {
		return err
	}
	if how.Base, err = w.Gate.Live().Base(); err != nil {
		return err
	}
	return w.Folders(&intake.Folders{Names: t.Args, How: how, Every: betweenLooks, Gone: func(err error) {
		t.warn("%s: nothing is deleted, and it is looked for again", oneLine(err))
	}})
}
