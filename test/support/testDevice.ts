// The devices that the tests run on. Both compute in float32, and both are the CPU unless FLASHLINE_TEST_DEVICE is
// `gpu`. On `packedDevice`, weights stay packed, as they do on Metal.
import { selectDevice, type Device, type DeviceName } from '../../server/models/mlx/device';

/** Device on which the tests load engines. */
export const deviceName: DeviceName = process.env['FLASHLINE_TEST_DEVICE'] === 'gpu' ? 'gpu' : 'cpu';

const strict = selectDevice(deviceName, true);

export const testDevice: Device = { ...strict, keepsQuantised: false };

export const packedDevice: Device = { ...strict, keepsQuantised: true };
