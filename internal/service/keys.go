package service

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"simsearch/internal/disk"
	"simsearch/internal/wal"
)

// keys remembers the answers to requests with an idempotency key, for a day, and in a log in the directory of the index, so that a
// restart forgets none. The log has each request when it begins, too. If it has no answer, because the process was killed, the request
// is answered anew when it is repeated. Then its documents, if they had come, are there already, and are new for the first that asks.
//
// A log has the answers of a process, up to keysFileBytes. It is removed when the last of them is a day old.
type keys struct {
	fsys disk.FS
	dir  string

	mu    sync.Mutex
	known map[[32]byte]*keyed
	order []*keyed // by age
	bytes int
	logs  []keysLog   // by age; the last one is written
	log   *wal.Writer // nil before the first key
	end   int64

	closed  bool
	begun   map[[32]byte][32]byte // the requests that have no answer, by their keys, and are not under way
	claimed map[string]bool       // ids that were said to be new, as far as begun may have them
}

// A keyed is a request, and what was answered.
type keyed struct {
	Key     [32]byte
	Request [32]byte
	Time    int64         // of the answers, in seconds
	Answers []byte        // as JSON; empty before there are any
	done    chan struct{} // closed when the request is answered
	err     error         // of a request that failed, which is not remembered
}

// A keysLog is the file of a log, and the time of the last answer in it.
type keysLog struct {
	name string
	last int64
}

const (
	// KeyLives is how long an idempotency key is honoured.
	KeyLives = 24 * time.Hour
	// mostKeysBytes is how much memory answers take. If there are more within a day, the oldest are forgotten.
	mostKeysBytes = 64 << 20
	keysFileBytes = 16 << 20
	keyedBytes    = 200 // of an answer beside its bytes
	mostBegun     = 1 << 16
	mostKey       = 256 // bytes of a key

	keysIdentity = 0x6b657973 // of all logs of keys
	keysPrefix   = "keys-"
	keysSuffix   = ".answers"
)

// isKeys reports whether a file in the directory of an index is a log of keys.
func isKeys(name string) bool {
	return strings.HasPrefix(name, keysPrefix) && strings.HasSuffix(name, keysSuffix)
}

// open reads the logs that earlier processes have left.
func (k *keys) open(fsys disk.FS, dir string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fsys, k.dir, k.known, k.order, k.bytes, k.logs = fsys, dir, map[[32]byte]*keyed{}, nil, 0, nil
	k.begun, k.claimed, k.closed = map[[32]byte][32]byte{}, map[string]bool{}, false
	names, err := fsys.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, name := range names { // their names are in the order of time
		if !isKeys(name) {
			continue
		}
		path, last := filepath.Join(dir, name), int64(0)
		_, err := wal.Read(fsys, path, keysIdentity, func(payload []byte) error {
			e, ok := decodeKeyed(payload)
			switch {
			case ok && len(e.Answers) == 0 && len(k.begun) < mostBegun:
				k.begun[e.Key] = e.Request
			case ok && len(e.Answers) > 0:
				delete(k.begun, e.Key)
				k.remember(e)
				k.age()
			}
			last = max(last, e.Time)
			return nil
		})
		switch {
		case errors.Is(err, wal.ErrUnbegun):
			err = fsys.Remove(path)
		case err == nil:
			err = fsys.SyncFile(path) // what has been read may not be durable
			k.logs = append(k.logs, keysLog{name, last})
		}
		if err != nil {
			return err
		}
	}
	k.age()
	if len(k.begun) == 0 {
		return nil
	}
	for _, e := range k.order {
		var answers []CheckAnswer
		if err := json.Unmarshal(e.Answers, &answers); err != nil {
			return err
		}
		k.claim(answers)
	}
	return nil
}

// claim notes which ids are said to be new. The caller holds k.mu.
func (k *keys) claim(answers []CheckAnswer) {
	for _, a := range answers {
		if a.New {
			k.claimed[a.ID] = true
		}
	}
}

// settle makes the answers to a request those that it would have got before it was interrupted: a document that is there already has
// come by this request, or by another one that nobody has been told of.
func (k *keys) settle(e *keyed, answers []CheckAnswer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.begun[e.Key] == e.Request {
		for i := range answers {
			if a := &answers[i]; a.Match != nil && a.Match.ID == a.ID && !k.claimed[a.ID] {
				a.New, a.Match = true, nil
			}
		}
		delete(k.begun, e.Key)
	}
	if len(k.begun) > 0 {
		k.claim(answers)
	}
}

// encode returns the record of a request, and of its answers if there are any.
func (e *keyed) encode() []byte {
	record := append(append([]byte{1}, e.Key[:]...), e.Request[:]...)
	return append(append(strconv.AppendInt(record, e.Time, 10), 0), e.Answers...)
}

func decodeKeyed(record []byte) (*keyed, bool) {
	e := &keyed{done: make(chan struct{})}
	if len(record) < 65 || record[0] != 1 {
		return e, false
	}
	copy(e.Key[:], record[1:])
	copy(e.Request[:], record[33:])
	number, answers, ok := strings.Cut(string(record[65:]), "\x00")
	at, err := strconv.ParseInt(number, 10, 64)
	e.Time, e.Answers = at, []byte(answers)
	close(e.done)
	return e, ok && err == nil
}

// remember remembers an answer. The caller holds k.mu.
func (k *keys) remember(e *keyed) {
	k.known[e.Key] = e
	k.order = append(k.order, e)
	k.bytes += len(e.Answers) + keyedBytes
}

// age forgets what is old, and answers beyond mostKeysBytes. The caller holds k.mu.
func (k *keys) age() {
	old := time.Now().Add(-KeyLives).Unix()
	n := 0
	for ; n < len(k.order) && (k.order[n].Time < old || k.bytes > mostKeysBytes); n++ {
		e := k.order[n]
		if k.known[e.Key] == e {
			delete(k.known, e.Key)
		}
		k.bytes -= len(e.Answers) + keyedBytes
		k.order[n] = nil
	}
	if k.order = k.order[n:]; len(k.order) > 0 {
		old = max(old, k.order[0].Time)
	}
	for len(k.logs) > 0 && (k.log == nil || len(k.logs) > 1) && k.logs[0].last < old {
		if k.fsys.Remove(filepath.Join(k.dir, k.logs[0].name)) != nil {
			break // the next time
		}
		k.logs = k.logs[1:]
	}
}

// once returns the answers of the first request with a key: of do, or of an earlier call.
func (k *keys) once(ctx context.Context, key string, request any, do func() ([]CheckAnswer, error)) (answers []CheckAnswer, err error) {
	if len(key) > mostKey {
		return nil, Errorf(BadRequest, "idempotency key", "%d bytes: want %d at most", len(key), mostKey)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return nil, Errorf(BadRequest, "", "%v", err)
	}
	e := &keyed{Key: sha256.Sum256([]byte(key)), Request: sha256.Sum256(body), done: make(chan struct{})}
	for {
		k.mu.Lock()
		k.age()
		earlier := k.known[e.Key]
		if earlier == nil {
			k.known[e.Key] = e
		}
		k.mu.Unlock()
		if earlier == nil {
			break
		}
		if earlier.Request != e.Request {
			return nil, Errorf(Conflict, "idempotency key", "the key was used for another request")
		}
		select {
		case <-earlier.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if earlier.err == nil {
			return answers, json.Unmarshal(earlier.Answers, &answers)
		}
	}
	failed := true
	defer func() { // of a panic, too
		k.mu.Lock()
		defer k.mu.Unlock()
		if failed {
			e.err = errors.Join(err, errors.New("the first request with the key has failed"))
			delete(k.known, e.Key)
			if len(k.begun) < mostBegun {
				k.begun[e.Key] = e.Request
			}
		}
		close(e.done)
	}()
	if _, err = k.write(e); err == nil { // a process that is killed leaves what it has written
		answers, err = do()
	}
	if err != nil {
		return nil, err
	}
	k.settle(e, answers)
	if err = k.keep(e, answers); err != nil {
		return nil, err
	}
	failed = false
	return answers, nil
}

// keep makes an answer durable.
func (k *keys) keep(e *keyed, answers []CheckAnswer) (err error) {
	if e.Answers, err = json.Marshal(answers); err != nil {
		return err
	}
	durable, err := k.write(e)
	if err == nil {
		err = durable()
	}
	return err
}

// write appends a request to the log, and with answers remembers them. durable waits until the log is durable so far.
func (k *keys) write(e *keyed) (durable func() error, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e.Time = time.Now().Unix(); k.closed {
		return nil, Errorf(Unavailable, "collection", "the collection is being closed")
	}
	if err := k.begin(); err != nil {
		return nil, err
	}
	log := k.log
	end, err := log.Append(e.encode())
	if err != nil {
		return nil, err
	}
	k.end = end
	k.logs[len(k.logs)-1].last = e.Time
	if len(e.Answers) > 0 {
		delete(k.known, e.Key)
		k.remember(e)
	}
	return func() error { return log.Durable(end) }, nil
}

// begin begins a log if there is none, or if it is long. The caller holds k.mu.
func (k *keys) begin() error {
	if k.log != nil && k.end < keysFileBytes {
		return nil
	}
	if k.log != nil {
		if err := k.log.Close(); err != nil {
			return err
		}
		k.log = nil
	}
	name := keysPrefix + strconv.FormatInt(time.Now().UnixNano(), 10) + keysSuffix // in the order of time until 2286
	log, err := wal.Create(k.fsys, filepath.Join(k.dir, name), keysIdentity, 0)
	if err != nil {
		return err
	}
	k.log, k.end, k.logs = log, 0, append(k.logs, keysLog{name, time.Now().Unix()})
	return nil
}

// close closes the log. What comes later is refused.
func (k *keys) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	log := k.log
	if k.log, k.closed = nil, true; log == nil {
		return nil
	}
	err := log.Close()
	if errors.Is(err, fs.ErrClosed) {
		err = nil
	}
	return err
}
