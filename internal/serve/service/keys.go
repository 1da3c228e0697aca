package service

import (
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"time"

	"simsearch/internal/index"
	"simsearch/internal/quality/explain"
	"simsearch/internal/serve/gate"
)

const (
	// keyLives is how long an idempotency key is honoured.
	keyLives = 24 * time.Hour
	mostKey  = 256 // bytes of a key
)

// A keyed is a request with an idempotency key. The index notes what is decided on its lines by the change that adds
// their documents, for gate.AtOnce lines at a time. So whoever repeats the request gets the decisions that were made,
// whether or not they were answered, and the other lines are decided then.
type keyed struct {
	key     string
	request [sha256.Size]byte // a digest of the lines
	lives   time.Duration
}

// newKeyed returns nil for a request without a key.
func (s *Service) newKeyed(key string, rs []CheckRequest) (*keyed, error) {
	if key == "" {
		return nil, nil
	}
	if len(key) > mostKey {
		return nil, Errorf(BadRequest, "idempotency key", "%d bytes: want %d at most", len(key), mostKey)
	}
	body, err := json.Marshal(rs)
	if err != nil {
		return nil, Errorf(BadRequest, "", "%v", err)
	}
	return &keyed{key, sha256.Sum256(body), s.o.keyLives}, nil
}

// A notedLine is what is noted of the answer to a line. Empty, it says that the document is new, and has the id that
// the request names.
type notedLine struct {
	ID      string          `json:"id,omitempty"`
	Match   *Match          `json:"match,omitempty"`
	Differs []string        `json:"differs,omitempty"`
	Verdict explain.Verdict `json:"verdict,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// claim returns the Claim for lines that begin with line from. tell writes decisions on them to answers.
func (k *keyed) claim(from int, rs []CheckRequest, answers []CheckAnswer, tell func([]gate.Decision)) *gate.Claim {
	if k == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(strconv.Itoa(from) + " " + k.key)) // nothing that another key or line has
	until := time.Now().Add(k.lives)
	return &gate.Claim{Key: index.NoteKey(sum[:len(index.NoteKey{})]), Until: until.Unix(), Note: func(decisions []gate.Decision) ([]byte, error) {
		tell(decisions)
		lines := make([]notedLine, len(rs))
		for i := range lines {
			a := &answers[i]
			if lines[i] = (notedLine{Match: a.Match, Differs: a.Differs, Verdict: a.Verdict, Error: a.Error}); a.ID != rs[i].ID {
				lines[i].ID = a.ID
			}
		}
		data, err := json.Marshal(lines)
		return append(k.request[:len(k.request):len(k.request)], data...), err
	}}
}

// read reads what is noted of lines.
func (k *keyed) read(noted []byte, rs []CheckRequest, answers []CheckAnswer) error {
	if len(noted) < len(k.request) || [sha256.Size]byte(noted) != k.request {
		return Errorf(Conflict, "idempotency key", "the key was used for another request")
	}
	var lines []notedLine
	if err := json.Unmarshal(noted[len(k.request):], &lines); err != nil || len(lines) != len(rs) {
		return Errorf(Internal, "idempotency key", "what is noted of the key cannot be read")
	}
	for i, l := range lines {
		answers[i] = CheckAnswer{ID: rs[i].ID, New: l.Match == nil && l.Error == nil, Match: l.Match, Differs: l.Differs, Verdict: l.Verdict, Error: l.Error}
		if l.ID != "" {
			answers[i].ID = l.ID
		}
	}
	return nil
}
