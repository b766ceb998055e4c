import { hasEquipment, type Equipment, type Room } from './room';
import { TimeSlot } from './timeSlot';

export interface Reservation {
  room: Room;
  slot: TimeSlot;
  organizer: string;
}

export interface RoomRequest {
  slot: TimeSlot;
  people: number;
  equipment: Equipment[];
}

export class ReservationBook {
  private readonly reservations: Reservation[] = [];

  constructor(private readonly rooms: Room[]) {}

  isFree(room: Room, slot: TimeSlot): boolean {
    return !this.reservations.some((each) => each.room.id === room.id && each.slot.overlaps(slot));
  }

  findRoom({ slot, people, equipment }: RoomRequest): Room | undefined {
    return this.rooms
      .filter((room) => room.capacity >= people && hasEquipment(room, equipment))
      .sort((a, b) => a.capacity - b.capacity)
      .find((room) => this.isFree(room, slot));
  }

  reserve(organizer: string, request: RoomRequest): Reservation {
    const room = this.findRoom(request);
    if (!room) throw new Error(`No room for ${request.people} people`);
    const reservation = { room, slot: request.slot, organizer };
    this.reservations.push(reservation);
    return reservation;
  }

  cancel(reservation: Reservation): boolean {
    const index = this.reservations.indexOf(reservation);
    if (index < 0) return false;
    this.reservations.splice(index, 1);
    return true;
  }

  occupiedAt(moment: Date): Room[] {
    return this.reservations.filter(({ slot }) => slot.contains(moment)).map(({ room }) => room);
  }
}
