package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"simsearch/internal/serve/service"
)

// A guard keeps out requests that a page of another site makes a browser send. A name that leads to this machine by a
// trick of DNS is not a name by which the server may be called, and what a browser says of the origin of a request
// has to be the server itself.
type guard struct {
	names   map[string]bool
	listens map[netip.Addr]bool
	origins *http.CrossOriginProtection
}

func newGuard(o *Options) *guard {
	g := &guard{names: map[string]bool{"localhost": true}, listens: map[netip.Addr]bool{}, origins: http.NewCrossOriginProtection()}
	for _, name := range o.Hosts {
		g.names[hostOf(name)] = true
	}
	return g
}

// hostOf returns the name or the address of a host and a port, as it is compared.
func hostOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// listensOn lets clients call the server by the address of a listener. It is called before requests come.
func (g *guard) listensOn(addr net.Addr) {
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		g.listens[tcp.AddrPort().Addr().Unmap()] = true
	}
}

var (
	errHost   = service.Errorf(service.Forbidden, "Host", "the server is not called by this name; serve --host NAME allows it")
	errOrigin = service.Errorf(service.Forbidden, "Origin", "pages of other sites may not send this request")
)

// check returns an error if the request may be one that another site has made.
func (g *guard) check(r *http.Request) error {
	if !g.calledBy(r) {
		return errHost
	}
	if g.origins.Check(r) != nil {
		return errOrigin
	}
	return nil
}

// calledBy reports whether the client called the server by one of its names.
func (g *guard) calledBy(r *http.Request) bool {
	host := hostOf(r.Host)
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return g.names[host]
	}
	if addr = addr.Unmap(); addr.IsLoopback() || g.listens[addr] || g.names[addr.String()] {
		return true
	}
	// A server on all addresses of the machine is called by the one that the connection has come to.
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.AddrPort().Addr().Unmap() == addr
}
