class Track {
  constructor(title, artist, seconds) {
    this.title = title;
    this.artist = artist;
    this.seconds = seconds;
  }

  get duration() {
    const minutes = Math.floor(this.seconds / 60);
    const seconds = this.seconds % 60;
    return `${minutes}:${String(seconds).padStart(2, '0')}`;
  }

  toString() {
    return `${this.artist} - ${this.title} (${this.duration})`;
  }
}

class Playlist {
  #tracks = [];
  #current = 0;

  constructor(name, tracks = []) {
    this.name = name;
    for (const track of tracks) this.add(track);
  }

  add(track) {
    this.#tracks.push(track);
    return this;
  }

  remove(track) {
    const index = this.#tracks.indexOf(track);
    if (index === -1) return false;
    this.#tracks.splice(index, 1);
    if (index < this.#current) this.#current--;
    return true;
  }

  get length() {
    return this.#tracks.length;
  }

  get current() {
    return this.#tracks[this.#current];
  }

  next() {
    this.#current = (this.#current + 1) % this.#tracks.length;
    return this.current;
  }

  previous() {
    this.#current = (this.#current - 1 + this.#tracks.length) % this.#tracks.length;
    return this.current;
  }

  totalSeconds() {
    return this.#tracks.reduce((total, track) => total + track.seconds, 0);
  }

  byArtist(artist) {
    return new Playlist(artist, this.#tracks.filter((track) => track.artist === artist));
  }

  *[Symbol.iterator]() {
    yield* this.#tracks;
  }
}

module.exports = { Track, Playlist };
