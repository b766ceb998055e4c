import asyncio
import time
from dataclasses import dataclass

import aiohttp

MAX_CONCURRENT = 10
TIMEOUT_SECONDS = 15


@dataclass
class Page:
    url: str
    status: int
    body: str
    seconds: float


async def fetch(session: aiohttp.ClientSession, url: str) -> Page:
    start = time.perf_counter()
    async with session.get(url) as response:
        body = await response.text()
        seconds = time.perf_counter() - start
        return Page(url, response.status, body, seconds)


async def fetch_with_retry(session: aiohttp.ClientSession, url: str, attempts: int = 3) -> Page:
    for attempt in range(attempts):
        try:
            return await fetch(session, url)
        except aiohttp.ClientError:
            if attempt == attempts - 1:
                raise
            await asyncio.sleep(2**attempt)
    raise ValueError("attempts must be at least 1")


async def fetch_all(urls: list[str]) -> list[Page]:
    semaphore = asyncio.Semaphore(MAX_CONCURRENT)
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)

    async with aiohttp.ClientSession(timeout=timeout) as session:

        async def limited(url: str) -> Page:
            async with semaphore:
                return await fetch_with_retry(session, url)

        tasks = [asyncio.create_task(limited(url)) for url in urls]
        return await asyncio.gather(*tasks)


def main() -> None:
    with open("urls.txt") as file:
        urls = [line.strip() for line in file if line.strip()]
    pages = asyncio.run(fetch_all(urls))
    for page in pages:
        print(f"{page.status} {page.seconds:6.2f}s {page.url}")


if __name__ == "__main__":
    main()
