import { useId, useState } from 'react';
import PropTypes from 'prop-types';

function Panel({ title, open, onToggle, children }) {
  const id = useId();
  return (
    <div className={open ? 'panel panel--open' : 'panel'}>
      <h3>
        <button type="button" aria-expanded={open} aria-controls={id} onClick={onToggle}>
          {title}
        </button>
      </h3>
      {open && <div id={id}>{children}</div>}
    </div>
  );
}

Panel.propTypes = {
  title: PropTypes.string.isRequired,
  open: PropTypes.bool.isRequired,
  onToggle: PropTypes.func.isRequired,
  children: PropTypes.node,
};

export function Accordion({ sections, multiple = false }) {
  const [openIds, setOpenIds] = useState([]);

  const toggle = (id) => {
    if (openIds.includes(id)) {
      setOpenIds(openIds.filter((openId) => openId !== id));
    } else if (multiple) {
      setOpenIds([...openIds, id]);
    } else {
      setOpenIds([id]);
    }
  };

  const openAll = () => setOpenIds(sections.map((section) => section.id));
  const closeAll = () => setOpenIds([]);

  return (
    <div className="accordion">
      {multiple && (
        <p>
          <button type="button" onClick={openAll}>
            Open all
          </button>
          <button type="button" onClick={closeAll}>
            Close all
          </button>
        </p>
      )}
      {sections.map((section) => (
        <Panel
          key={section.id}
          title={section.title}
          open={openIds.includes(section.id)}
          onToggle={() => toggle(section.id)}
        >
          {section.content}
        </Panel>
      ))}
    </div>
  );
}
