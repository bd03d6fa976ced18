// Package decoded proves that a body that is decoded and encoded again is still the
// upstream's, and that what is computed from it is not.
package decoded

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"net/http"

	"github.com/go-chi/render"
	"go.yaml.in/yaml/v3"

	"fixtures/statusrelay/upstream"
)

type list struct {
	Items []string `json:"items"`
	Error string   `json:"error"`
	OK    bool     `json:"ok"`
}

func get() (*http.Response, error) { return upstream.Client.Get(upstream.URL) }

func Encoded(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(l) // want `whatever its status`
}

func Marshalled(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	l := new(list)
	if err := json.Unmarshal(b, l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	out, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Write(out) // want `whatever its status`
}

func AsXML(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	enc := xml.NewEncoder(w)
	enc.Encode(l) // want `whatever its status`
}

func Enveloped(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l any
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"data": l}) // want `whatever its status`
}

// The number of items is computed.
func Count(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	fmt.Fprintf(w, "%d items\n", len(l.Items))
}

// The items are a part; whoever takes them from an error page gets none.
func Part(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(l.Items)
}

// The body says itself whether it is an error.
func SaysItself(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil || l.Error != "" {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(l)
}

func SaysItselfByABool(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if !l.OK {
		http.Error(w, l.Error, http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(l)
}

func (l *list) check() error {
	if l.Error != "" {
		return fmt.Errorf("upstream: %s", l.Error)
	}
	return nil
}

func SaysItselfToAMethod(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if err := l.check(); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(&l)
}

var tmpl = template.Must(template.New("").Parse("{{len .Items}}"))

// A page is made of parts.
func Page(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	tmpl.Execute(w, l)
}

func Checked(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		w.WriteHeader(resp.StatusCode)
		return
	}
	var l list
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(l)
}

type page struct {
	User   string `json:"user"`
	Avatar list   `json:"avatar"`
}

func decode() (l list, err error) {
	resp, err := get()
	if err != nil {
		return l, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&l)
	return l, err
}

// An answer of one's own goes without a part that the upstream does not give.
func PartOfAnAnswer(w http.ResponseWriter, r *http.Request) {
	p := page{User: r.Host}
	if l, err := decode(); err == nil {
		l.Error = ""
		p.Avatar = l
	}
	json.NewEncoder(w).Encode(p)
}

func PartOfAMap(w http.ResponseWriter, r *http.Request) {
	l, err := decode()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	l.Error = ""
	json.NewEncoder(w).Encode(map[string]any{"host": r.Host, "list": l})
}

type envelope struct {
	OK   bool `json:"ok"`
	Data any  `json:"data"`
}

func EnvelopedInAField(w http.ResponseWriter, r *http.Request) {
	l, err := decode()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	out := envelope{OK: true}
	out.Data = l
	json.NewEncoder(w).Encode(&out) // want `Encode sends on what decode got`
}

// By a function of which only the name is known.
func DecodedByALibrary(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var v list
	if err := render.DecodeJSON(resp.Body, &v); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(v) // want `Encode sends on what get got`
}

// What changes each element does not ask whether there is one.
func Patched(w http.ResponseWriter, r *http.Request) {
	l, err := decode()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	for i := range l.Items {
		l.Items[i] = r.Host + l.Items[i]
	}
	json.NewEncoder(w).Encode(l) // want `Encode sends on what decode got`
}

func Searched(w http.ResponseWriter, r *http.Request) {
	l, err := decode()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	found := false
	for _, item := range l.Items {
		found = found || item == r.Host
	}
	if !found {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	json.NewEncoder(w).Encode(l)
}

func AsYAML(w http.ResponseWriter, r *http.Request) {
	resp, err := get()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	var l list
	if err := yaml.NewDecoder(resp.Body).Decode(&l); err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	yaml.NewEncoder(w).Encode(l) // want `Encode sends on what get got`
}

func decodeValue() (list, error) {
	resp, err := get()
	if err != nil {
		return list{}, err
	}
	defer resp.Body.Close()
	var l list
	return l, json.NewDecoder(resp.Body).Decode(&l)
}

func DecodedBesideItsReturn(w http.ResponseWriter, r *http.Request) {
	l, err := decodeValue()
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	json.NewEncoder(w).Encode(l) // want `Encode sends on what decodeValue got`
}
