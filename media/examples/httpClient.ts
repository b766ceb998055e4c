// A thin wrapper around fetch with a base address, default headers and typed errors.

export interface ClientOptions {
  readonly baseUrl: string;
  readonly headers?: Record<string, string>;
  readonly timeout?: number;
}

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

export class HttpClient {
  constructor(private readonly options: ClientOptions) {}

  async get<T>(path: string): Promise<T> {
    return this.request<T>('GET', path);
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return this.request<T>('POST', path, body);
  }

  async put<T>(path: string, body: unknown): Promise<T> {
    return this.request<T>('PUT', path, body);
  }

  async delete<T>(path: string): Promise<T> {
    return this.request<T>('DELETE', path);
  }

  private async request<T>(method: string
    const response = await fetch(this.options.baseUrl + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...this.options.headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) {
      throw new HttpError(response.status, `${method} ${path} failed`);
    }
    return (await response.json()) as T;
  }
}
