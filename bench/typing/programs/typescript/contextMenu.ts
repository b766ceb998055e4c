export interface MenuItem {
  label: string;
  shortcut?: string;
  disabled?: boolean;
  onSelect: () => void;
}

export class ContextMenu {
  private readonly element = document.createElement('ul');

  constructor(private readonly items: MenuItem[]) {
    this.element.className = 'context-menu';
    this.element.setAttribute('role', 'menu');
    for (const item of this.items) {
      this.element.append(this.createItem(item));
    }
  }

  attachTo(target: HTMLElement): void {
    target.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      this.open(event.clientX, event.clientY);
    });
    document.addEventListener('click', () => this.close());
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  private open(x: number, y: number): void {
    this.element.style.left = `${x}px`;
    this.element.style.top = `${y}px`;
    document.body.append(this.element);
    this.element.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }

  private close(): void {
    this.element.remove();
  }

  private createItem({ label, shortcut, disabled = false, onSelect }: MenuItem): HTMLLIElement {
    const entry = document.createElement('li');
    entry.textContent = shortcut ? `${label} (${shortcut})` : label;
    entry.tabIndex = -1;
    entry.setAttribute('role', 'menuitem');
    entry.setAttribute('aria-disabled', String(disabled));
    if (!disabled) entry.addEventListener('click', onSelect);
    return entry;
  }
}
