export type Equipment = 'projector' | 'whiteboard' | 'video';

export interface Room {
  id: string;
  name: string;
  capacity: number;
  equipment: Equipment[];
}

export function hasEquipment(room: Room, needed: Equipment[]): boolean {
  return needed.every((each) => room.equipment.includes(each));
}
