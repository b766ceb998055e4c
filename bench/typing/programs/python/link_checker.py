import asyncio
import re
import sys
from urllib.parse import urljoin, urlparse

import aiohttp

HREF = re.compile(r'href="([^"#]+)"')


class LinkChecker:
    def __init__(self, start_url, workers=5):
        self.start_url = start_url
        self.host = urlparse(start_url).netloc
        self.workers = workers
        self.queue = asyncio.Queue()
        self.seen = set()
        self.broken = {}

    def enqueue(self, url):
        if url not in self.seen and urlparse(url).netloc == self.host:
            self.seen.add(url)
            self.queue.put_nowait(url)

    async def check(self, session, url):
        async with session.get(url, timeout=10) as response:
            if response.status >= 400:
                self.broken[url] = response.status
            elif response.content_type == "text/html":
                page = await response.text()
                for link in HREF.findall(page):
                    self.enqueue(urljoin(url, link))

    async def work(self, session):
        while True:
            url = await self.queue.get()
            try:
                await self.check(session, url)
            except (aiohttp.ClientError, asyncio.TimeoutError) as error:
                self.broken[url] = str(error)
            finally:
                self.queue.task_done()

    async def run(self):
        self.enqueue(self.start_url)
        async with aiohttp.ClientSession() as session:
            tasks = [asyncio.create_task(self.work(session)) for _ in range(self.workers)]
            await self.queue.join()
            for task in tasks:
                task.cancel()
        return self.broken


if __name__ == "__main__":
    for url, reason in asyncio.run(LinkChecker(sys.argv[1]).run()).items():
        print(url, reason)
