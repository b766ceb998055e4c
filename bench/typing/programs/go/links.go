package api

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

var ErrNotFound = errors.New("link not found")

type Link struct {
	Slug      string    `json:"slug"`
	Target    string    `json:"target"`
	CreatedAt time.Time `json:"created_at"`
	Visits    int       `json:"visits"`
}

type Store interface {
	Get(slug string) (*Link, error)
	Save(link *Link) error
	Delete(slug string) error
}

type LinkHandler struct {
	store  Store
	logger *slog.Logger
}

func NewLinkHandler(store Store, logger *slog.Logger) *LinkHandler {
	return &LinkHandler{store: store, logger: logger}
}

func (h *LinkHandler) Register(mux *http.ServeMux) {
	mux.HandleFunc("POST /links", h.create)
	mux.HandleFunc("GET /links/{slug}", h.show)
	mux.HandleFunc("DELETE /links/{slug}", h.remove)
}

func (h *LinkHandler) create(w http.ResponseWriter, r *http.Request) {
	var link Link
	if err := json.NewDecoder(r.Body).Decode(&link); err != nil {
		http.Error(w, "invalid JSON", http.StatusBadRequest)
		return
	}
	target, err := url.Parse(link.Target)
	if err != nil || target.Host == "" {
		http.Error(w, "invalid target", http.StatusUnprocessableEntity)
		return
	}
	link.CreatedAt = time.Now().UTC()
	if err := h.store.Save(&link); err != nil {
		h.logger.Error("save link", "slug", link.Slug, "error", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	writeJSON(w, http.StatusCreated, link)
}

func (h *LinkHandler) show(w http.ResponseWriter, r *http.Request) {
	link, err := h.store.Get(r.PathValue("slug"))
	if errors.Is(err, ErrNotFound) {
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	link.Visits++
	writeJSON(w, http.StatusOK, link)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		slog.Error("write response", "error", err)
	}
}
