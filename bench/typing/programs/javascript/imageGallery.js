const gallery = document.querySelector('#gallery');
const lightbox = document.querySelector('#lightbox');
const caption = lightbox.querySelector('figcaption');

let photos = [];
let current = 0;

async function loadPhotos(albumId) {
  const response = await fetch(`/api/albums/${albumId}/photos`);
  if (!response.ok) {
    throw new Error(`Could not load the album: ${response.status}`);
  }
  photos = await response.json();
  renderThumbnails();
}

function renderThumbnails() {
  gallery.replaceChildren();
  photos.forEach((photo, index) => {
    const image = document.createElement('img');
    image.src = photo.thumbnailUrl;
    image.alt = photo.title;
    image.loading = 'lazy';
    image.addEventListener('click', () => openPhoto(index));
    gallery.append(image);
  });
}

function openPhoto(index) {
  current = (index + photos.length) % photos.length;
  const photo = photos[current];
  lightbox.querySelector('img').src = photo.url;
  caption.textContent = `${photo.title} (${current + 1} of ${photos.length})`;
  lightbox.hidden = false;
}

document.addEventListener('keydown', (event) => {
  if (lightbox.hidden) return;
  if (event.key === 'ArrowRight') openPhoto(current + 1);
  if (event.key === 'ArrowLeft') openPhoto(current - 1);
  if (event.key === 'Escape') lightbox.hidden = true;
});

lightbox.addEventListener('click', () => {
  lightbox.hidden = true;
});

loadPhotos(gallery.dataset.albumId).catch((error) => {
  gallery.textContent = error.message;
});
