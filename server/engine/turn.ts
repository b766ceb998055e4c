// Whose step runs: all engines of a process share its processor, and each step needs the device of its own engine.
import { useDevice, type DeviceName } from '../models/device';
import { Lane, type LaneKind } from './lane';

const lane = new Lane();

/** Waits for the turn of a step; the caller must call the returned function at its end. */
export async function turn(kind: LaneKind, device: DeviceName): Promise<() => void> {
  const release = await lane.acquire(kind);
  useDevice(device);
  return release;
}
