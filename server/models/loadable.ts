// The models that Flashline can load: the types of targets, and a check of a config.json before a download.
import { orUserError, type UserError } from '../rules/userError';
import type { ConfigFields } from './checkpoint/configFields';
import { isDrafter } from './checkpoint/modelFiles';
import { otherAlgorithm } from './checkpoint/otherDrafters';
import { isSpeculatorsForm, publishedForm } from './checkpoint/speculatorsForm';
import { requireComputable } from './loadDrafter';
import { loaderOf, refuseDrafter, TARGETS } from './loadTarget';

/** Supported targets: their `model_type`s, and a check of a config.json. */
export const loadable = {
  targets: [...TARGETS.keys()],
  problemOf: configProblem,
} as const;

/**
 * Returns the error that loading the model of a config.json would throw because of that file; undefined if none. For a
 * drafter, checks only the algorithm, the network and the quantisation, as the rest depends on its target.
 */
function configProblem(fields: ConfigFields): UserError | undefined {
  return orUserError(() => {
    if (isDrafter(fields) || isSpeculatorsForm(fields)) requireComputable(publishedForm(fields));
    else {
      refuseDrafter(fields, otherAlgorithm(fields));
      if (!fields.has('model_type')) return fields.refusal('a model_type', 'none', 'choose another model');
      loaderOf(fields);
    }
    return undefined;
  });
}
