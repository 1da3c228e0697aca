package objects

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// A place says where a store is. It has no secrets.
type place struct {
	host, region string
	secure       bool
}

// placeOf returns what the environment says: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL is the server, if it is not that
// of Amazon, and AWS_REGION or AWS_DEFAULT_REGION its region.
func placeOf() (p place, err error) {
	p.region = cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"))
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"} {
		value := os.Getenv(name)
		if value == "" {
			continue
		}
		u, err := url.Parse(value)
		// The value is not told: somebody may have put a password there.
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" && u.Path != "/" ||
			u.RawQuery != "" {
			return p, fmt.Errorf("%s: want the address of a server, such as https://store.example:9000, without a name, a password or a path", name)
		}
		p.host, p.secure = u.Host, u.Scheme == "https"
		p.region = cmp.Or(p.region, "us-east-1")
		return p, nil
	}
	p.host, p.secure = "s3.amazonaws.com", true
	return p, nil
}

// A store is a client of a server.
type store struct {
	core  *minio.Core
	place place
}

// stores are the clients that there are. An environment that has changed, as in tests, has another one.
var stores = struct {
	sync.Mutex
	of map[[9]string]*store
}{of: map[[9]string]*store{}}

// newStore returns a client of the server that the environment names. Credentials are those of AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else those of the profile AWS_PROFILE in the file
// AWS_SHARED_CREDENTIALS_FILE, or ~/.aws/credentials, else those that Amazon gives a machine or a container of its
// own. Without any, requests are not signed.
func newStore() (*store, error) {
	p, err := placeOf()
	if err != nil {
		return nil, err
	}
	key := [9]string{p.host, p.region, fmt.Sprint(p.secure)}
	for i, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
		"AWS_SHARED_CREDENTIALS_FILE", "HOME"} {
		key[3+i] = os.Getenv(name)
	}
	stores.Lock()
	defer stores.Unlock()
	if s := stores.of[key]; s != nil {
		return s, nil
	}
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if isAmazons() {
		providers = append(providers, &credentials.IAM{})
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: time.Minute, IdleConnTimeout: 30 * time.Second,
		MaxIdleConns: connections, MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections,
		ReadBufferSize: 64 << 10, WriteBufferSize: 64 << 10,
		DisableCompression: true, // an object is read as it is
	}
	s := &store{place: p}
	s.core, err = minio.NewCore(p.host, &minio.Options{
		Creds: credentials.NewChainCredentials(providers), Secure: p.secure, Region: p.region, Transport: transport,
		MaxRetries: 1, // try tries again
	})
	if err != nil {
		return nil, fmt.Errorf("the server of AWS_ENDPOINT_URL: %w", err)
	}
	stores.of[key] = s
	return s, nil
}

// isAmazons reports whether the process may run on a machine or in a container of Amazon, where credentials can be
// asked for. No other machine is to wait for an answer.
func isAmazons() bool {
	return slices.ContainsFunc([]string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EXECUTION_ENV"}, func(name string) bool { return os.Getenv(name) != "" }) || onEC2()
}

// onEC2 reports whether the firmware says that the machine is one of Amazon's.
func onEC2() bool {
	for _, file := range []string{"/sys/devices/virtual/dmi/id/sys_vendor", "/sys/hypervisor/uuid"} {
		if text, err := os.ReadFile(file); err == nil && (bytes.HasPrefix(text, []byte("Amazon")) || bytes.HasPrefix(text, []byte("ec2"))) {
			return true
		}
	}
	return false
}

// connections is how many there are to a server, at most.
const connections = 32

// anonymous reports whether requests are not signed.
func (s *store) anonymous() bool {
	v, err := s.core.GetCreds()
	return err == nil && v.SignerType.IsAnonymous()
}

// Attempts say how often a request is tried, how long it is waited before the second attempt, and how long a request
// may be silent. It is waited twice as long after each failure, up to ten times the first.
type Attempts struct {
	Most       int
	Wait, Idle time.Duration
}

// patience is that with all requests: a store that fails is given up after some ten seconds, and one that is silent
// after three minutes.
var patience atomic.Pointer[Attempts]

func init() { patience.Store(&Attempts{Most: 6, Wait: 300 * time.Millisecond, Idle: 30 * time.Second}) }

// SetPatience sets how often all requests are tried from now on, for tests. It returns what it was.
func SetPatience(a Attempts) (was Attempts) { return *patience.Swap(&a) }

var (
	errSilent = errors.New("nothing has come for a while")
	errOther  = errors.New("it has sent other bytes than were asked for")
)

// try sends a request, and sends it again if that may help. f calls alive whenever something has arrived.
func (s *store) try(ctx context.Context, doing, object string, f func(ctx context.Context, alive func()) error) error {
	began, is := time.Now(), patience.Load()
	wait := is.Wait
	for n := 1; ; n++ {
		err := once(ctx, f)
		if err == nil {
			return nil
		}
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if !mayHelp(err) || n >= is.Most {
			return s.failed(doing, object, err, n, time.Since(began))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait/2 + rand.N(wait)):
		}
		wait = min(2*wait, 10*is.Wait)
	}
}

// once sends a request, which ends when it is idle for too long.
func once(ctx context.Context, f func(ctx context.Context, alive func()) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	longest := patience.Load().Idle
	idle := time.AfterFunc(longest, func() { cancel(errSilent) })
	defer func() {
		idle.Stop()
		cancel(nil)
	}()
	err := f(ctx, func() { idle.Reset(longest) })
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// mayHelp reports whether the same request may succeed later.
func mayHelp(err error) bool {
	if errors.Is(err, ErrChanged) || errors.Is(err, errOther) {
		return false
	}
	answer, ok := answered(err)
	if !ok {
		return true // the connection, or what came of the body
	}
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusRequestTimeout:
		return true
	case http.StatusNotImplemented:
		return false
	}
	busy := []string{"SlowDown", "RequestTimeout", "InternalError", "OperationAborted"}
	return answer.StatusCode >= 500 || slices.Contains(busy, answer.Code)
}

// answered returns what a server has answered in place of what was asked for.
func answered(err error) (answer minio.ErrorResponse, ok bool) {
	ok = errors.As(err, &answer) && (answer.StatusCode != 0 || answer.Code != "")
	return answer, ok
}

// failed returns the error of a request that is given up. It has no text of the server, which may repeat what it was
// sent.
func (s *store) failed(doing, object string, err error, times int, took time.Duration) error {
	e := &Error{Doing: doing, Object: object, Class: ErrStore}
	answer, ok := answered(err)
	switch host := s.place.host; {
	case errors.Is(err, ErrChanged), answer.StatusCode == http.StatusPreconditionFailed:
		e.Class, e.Why = ErrChanged, "it has changed since it was listed: run the same command again"
	case errors.Is(err, errGone):
		e.Class, e.Why = errGone, host+" has given it up meanwhile: run the same command again"
	case errors.Is(err, errOther):
		e.Why = host + " sends other bytes than were asked for"
	case answer.Code == "NoSuchBucket":
		e.Class, e.Why = fs.ErrNotExist, fmt.Sprintf("%s has no such bucket; AWS_ENDPOINT_URL names another server", host)
	case answer.StatusCode == http.StatusNotFound:
		e.Class, e.Why = fs.ErrNotExist, "there is no such object"
	case answer.Code == "InvalidObjectState":
		e.Class, e.Why = fs.ErrPermission, "it is in an archive: restore it first"
	case answer.StatusCode == http.StatusForbidden || answer.StatusCode == http.StatusUnauthorized:
		e.Why = fmt.Sprintf("%s does not allow it (%s): are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, right?", host,
			answer.Code)
	case answer.StatusCode == http.StatusMovedPermanently || answer.Code == "AuthorizationHeaderMalformed":
		e.Why = "the bucket is in another region: set AWS_REGION"
	case ok:
		e.Why = fmt.Sprintf("%s answers %d %s%s", host, answer.StatusCode, answer.Code, tried(times, took))
	case errors.Is(err, errSilent):
		e.Why = fmt.Sprintf("%s is silent%s", host, tried(times, took))
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Why = fmt.Sprintf("%s ends its answer too soon%s", host, tried(times, took))
	default:
		e.Why = fmt.Sprintf("no connection to %s: %s%s", host, reason(err), tried(times, took))
	}
	return e
}

func tried(times int, took time.Duration) string {
	if times == 1 {
		return ""
	}
	return fmt.Sprintf(" (tried %d times in %v): try again later", times, took.Round(100*time.Millisecond))
}

// reason returns the innermost text of an error of a connection. Texts around it repeat the address.
func reason(err error) string {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err.Error()
}

// A living reader says when something has been read.
type living struct {
	io.Reader
	alive func()
}

func (l living) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.alive()
	}
	return n, err
}
