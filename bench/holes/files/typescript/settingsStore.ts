export interface Settings {
  theme: 'light' | 'dark';
  fontSize: number;
  autosave: boolean;
}

type Key = keyof Settings;
type Listener<K extends Key> = (value: Settings[K]) => void;

const STORAGE_KEY = 'settings';

const DEFAULT_SETTINGS: Settings = {
  theme: 'light',
  fontSize: 14,
  autosave: true,
};

export class SettingsStore {
  private settings: Settings;
  private readonly listeners: { [K in Key]: Set<Listener<K>> } = {
    theme: new Set(),
    fontSize: new Set(),
    autosave: new Set(),
  };

  constructor(private readonly storage: Storage) {
    this.settings = { ...DEFAULT_SETTINGS, ...this.load() };
  }

  get<K extends Key>(key: K): Settings[K] {
    return this.settings[key];
  }

  set<K extends Key>(key: K, value: Settings[K]): void {
    if (this.settings[key] === value) return;
    this.settings = { ...this.settings, [key]: value };
    this.save();
    for (const listener of this.listeners[key]) {
      listener(value);
    }
  }

  reset(): void {
    this.settings = { ...DEFAULT_SETTINGS };
    this.save();
  }

  subscribe<K extends Key>(key: K, listener: Listener<K>): () => void {
    this.listeners[key].add(listener);
    return () => {
      this.listeners[key].delete(listener);
    };
  }

  private load(): Partial<Settings> {
    const text = this.storage.getItem(STORAGE_KEY);
    if (text === null) return {};
    try {
      return JSON.parse(text) as Partial<Settings>;
    } catch {
      return {};
    }
  }

  private save(): void {
    this.storage.setItem(STORAGE_KEY, JSON.stringify(this.settings));
  }
}
