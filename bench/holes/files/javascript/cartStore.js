export const ADD_ITEM = 'cart/addItem';
export const REMOVE_ITEM = 'cart/removeItem';
export const CHANGE_QUANTITY = 'cart/changeQuantity';
export const CLEAR = 'cart/clear';

export const addItem = (item) => ({ type: ADD_ITEM, item });
export const removeItem = (id) => ({ type: REMOVE_ITEM, id });
export const changeQuantity = (id, quantity) => ({ type: CHANGE_QUANTITY, id, quantity });
export const clear = () => ({ type: CLEAR });

const initialState = { items: [] };

export function cartReducer(state = initialState, action) {
  switch (action.type) {
    case ADD_ITEM: {
      const existing = state.items.find((item) => item.id === action.item.id);
      if (existing) {
        return cartReducer(state, changeQuantity(existing.id, existing.quantity + 1));
      }
      return { ...state, items: [...state.items, { ...action.item, quantity: 1 }] };
    }
    case REMOVE_ITEM:
      return { ...state, items: state.items.filter((item) => item.id !== action.id) };
    case CHANGE_QUANTITY:
      return {
        ...state,
        items: state.items.map((item) =>
          item.id === action.id ? { ...item, quantity: action.quantity } : item,
        ),
      };
    case CLEAR:
      return initialState;
    default:
      return state;
  }
}

export const selectItems = (state) => state.items;
export const selectCount = (state) => state.items.reduce((sum, item) => sum + item.quantity, 0);
export const selectTotal = (state) =>
  state.items.reduce((sum, item) => sum + item.price * item.quantity, 0);

export function createStore(reducer) {
  let state = reducer(undefined, { type: '@@init' });
  const listeners = new Set();
  return {
    getState: () => state,
    dispatch(action) {
      state = reducer(state, action);
      listeners.forEach((listener) => listener());
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
