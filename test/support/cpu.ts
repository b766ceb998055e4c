// The devices that the tests run on. Both compute in float32 on the CPU.
// The second takes the code path of Metal, where weights stay packed.
import { selectDevice, type Device } from '../../server/models/device';

export const cpu: Device = selectDevice('cpu');

export const packedCpu: Device = { ...cpu, keepsQuantised: true };
